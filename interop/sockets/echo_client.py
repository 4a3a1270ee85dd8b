"""echo_client.py ADDRESS PORT TIMES: sends 20 MB, ends its direction, and compares what comes back, as often as it is told."""

import os
import socket
import sys
import threading

OCTETS = 20_000_000


def exchange(address, port):
    sent = os.urandom(OCTETS)
    with socket.create_connection((address, port), timeout=60) as connection:

        def send():
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        received = bytearray()
        while octets := connection.recv(100_000):
            received += octets
        sender.join()
    if received != sent:
        sys.exit(f"{len(received)} octets came back, and they differ")


for _ in range(int(sys.argv[3])):
    exchange(sys.argv[1], int(sys.argv[2]))
print("same")
