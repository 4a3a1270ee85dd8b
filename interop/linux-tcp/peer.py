#!/usr/bin/env python3
"""The Linux side of the transfers: a plain TCP socket for each, one after the other.

Reads commands from its standard input, one a line, until that ends:

    set NAME VALUE
        writes a setting of the kernel, such as net/ipv4/tcp_sack, for the network namespace
    connect|listen ADDRESS PORT send|receive OCTETS SEED
        sends that many octets made from the seed and closes its half, or receives until the other side closes its half;
        then waits for the other half to close too

A command answers "done", or "done" with the octets, their SHA-256 and the seconds it took, or "failed" and why. Before
that, a transfer may print "listening", and in its middle prints "view" and the output of ss -ti for its connection.
"""

import hashlib
import random
import socket
import subprocess
import sys
import time

BLOCK = 1 << 20
PATIENCE = 60


def opened(role, address, port):
    if role == "connect":
        return socket.create_connection((address, port), timeout=10)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.create_server((address, port), family=family) as listener:
        print("listening", flush=True)
        listener.settimeout(10)
        return listener.accept()[0]


def view(port):
    shown = subprocess.run(
        ["ss", "-tinoHO", f"sport = :{port} or dport = :{port}"], capture_output=True, text=True, check=True
    ).stdout
    for line in shown.splitlines():
        if line.startswith("ESTAB") or "-WAIT" in line.split()[0]:
            print("view", " ".join(line.split()), flush=True)
            return


def send(connection, port, octets, seed):
    digest = hashlib.sha256()
    block = bytearray(random.Random(seed).randbytes(min(octets, BLOCK)))
    left = octets
    while left > 0:
        # Every block differs from all others, so that a lost, repeated or misplaced one is noticed.
        block[:8] = left.to_bytes(8, "big")[: len(block)]
        part = memoryview(block)[: min(left, BLOCK)]
        digest.update(part)
        connection.sendall(part)
        if left == octets:
            view(port)
        left -= len(part)
    connection.shutdown(socket.SHUT_WR)
    if connection.recv(1):
        raise OSError("the receiver sent something")
    return octets, digest


def receive(connection, port):
    digest = hashlib.sha256()
    octets = 0
    while block := connection.recv(BLOCK):
        if octets == 0:
            view(port)
        digest.update(block)
        octets += len(block)
    connection.shutdown(socket.SHUT_WR)
    return octets, digest


def transfer(role, address, port, direction, octets, seed):
    with opened(role, address, int(port)) as connection:
        connection.settimeout(PATIENCE)
        began = time.monotonic()
        if direction == "send":
            octets, digest = send(connection, port, int(octets), int(seed))
        else:
            octets, digest = receive(connection, port)
        return f"done {octets} {digest.hexdigest()} {time.monotonic() - began:.3f}"


def setting(name, value):
    with open(f"/proc/sys/{name}", "w", encoding="ascii") as file:
        file.write(value)
    return "done"


def main():
    for line in sys.stdin:
        words = line.split()
        try:
            print(setting(*words[1:]) if words[0] == "set" else transfer(*words), flush=True)
        except (OSError, ValueError, subprocess.SubprocessError) as failure:
            print("failed", failure, flush=True)


main()
