#!/usr/bin/env python3
"""The Linux side of a transfer: a plain TCP socket.

usage: peer.py connect|listen ADDRESS PORT send|receive OCTETS SEED

Sends so many octets made from the seed and closes its half, or receives until the other side closes its half. Then
waits for the other half to close too, and prints how many octets there were, their SHA-256 and the seconds it took.
"""

import hashlib
import random
import socket
import sys
import time

BLOCK = 1 << 20


def opened(role, address, port):
    if role == "connect":
        return socket.create_connection((address, port), timeout=30)
    with socket.create_server((address, port)) as listener:
        print("listening", flush=True)
        listener.settimeout(30)
        return listener.accept()[0]


def send(connection, octets, seed):
    digest = hashlib.sha256()
    source = random.Random(seed)
    left = octets
    while left > 0:
        block = source.randbytes(min(left, BLOCK))
        digest.update(block)
        connection.sendall(block)
        left -= len(block)
    connection.shutdown(socket.SHUT_WR)
    if connection.recv(1):
        sys.exit("the receiver sent something")
    return octets, digest


def receive(connection):
    digest = hashlib.sha256()
    octets = 0
    while block := connection.recv(BLOCK):
        digest.update(block)
        octets += len(block)
    connection.shutdown(socket.SHUT_WR)
    return octets, digest


def main(role, address, port, direction, octets, seed):
    with opened(role, address, int(port)) as connection:
        connection.settimeout(60)
        began = time.monotonic()
        if direction == "send":
            octets, digest = send(connection, int(octets), int(seed))
        else:
            octets, digest = receive(connection)
        print(octets, digest.hexdigest(), f"{time.monotonic() - began:.3f}", flush=True)


main(*sys.argv[1:])
