"""memcached_client.py ADDRESS PORT: stores 20 values of 1 MB, and compares them when it gets them."""

import os
import socket
import sys

for number in range(20):
    value = os.urandom(1_000_000)
    with socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=60) as connection:
        stream = connection.makefile("rwb")
        stream.write(b"set %d 0 0 %d\r\n" % (number, len(value)) + value + b"\r\n")
        stream.flush()
        stored = stream.readline()
        stream.write(b"get %d\r\n" % number)
        stream.flush()
        length = int(stream.readline().split()[3])
        if stored != b"STORED\r\n" or stream.read(length) != value:
            sys.exit(f"value {number} differs")
print("same")
