"""echo_server.py CLASS ADDRESS PORT: sends everything back, by a class of socketserver, until it is stopped."""

import socketserver
import sys


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while octets := self.request.recv(65536):
            self.request.sendall(octets)


kind = getattr(socketserver, sys.argv[1])
kind.allow_reuse_address = True
with kind((sys.argv[2], int(sys.argv[3])), Echo) as server:
    server.serve_forever()
