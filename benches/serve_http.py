#!/usr/bin/env python3
"""Asks a server over and over on kept connections: serve_http.py ADDRESS:PORT PATH,PATH SECONDS RATE PID

RATE 0 asks as fast as it is answered. Prints, as JSON: answers a second, errors, milliseconds (half, 99 %, most), and the memory
of the process PID in KiB at the beginning, at the end and at most."""
import json
import selectors
import socket
import sys
import time

CONNECTIONS = 16


class Asker:
    """One connection, with one question under way."""

    def __init__(self, address, requests):
        self.address, self.requests, self.turn = address, requests, 0
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(self.address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.got, self.want, self.asked = b"", None, None

    def ask(self, now):
        self.turn = (self.turn + 1) % len(self.requests)
        self.got, self.want, self.asked = b"", None, now
        self.socket.sendall(self.requests[self.turn])

    def read(self):
        """Whether the answer is whole; None: it is an error, or the connection has ended."""
        part = self.socket.recv(1 << 18)
        if not part:
            return None
        self.got += part
        if self.want is None:
            end = self.got.find(b"\r\n\r\n")
            if end < 0:
                return False
            head = self.got[:end].lower()
            if not head.startswith(b"http/1.1 200"):
                return None
            self.want = end + 4 + int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        return len(self.got) >= self.want


def memory(pid):
    for line in open(f"/proc/{pid}/status", encoding="ascii"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def main():
    place, paths, seconds, rate, pid = sys.argv[1], sys.argv[2].split(","), float(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
    host, port = place.rsplit(":", 1)
    requests = [f"GET {path} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode() for path in paths]
    askers = [Asker((host, int(port)), requests) for _ in range(CONNECTIONS)]
    waiting = selectors.DefaultSelector()
    for asker in askers:
        waiting.register(asker.socket, selectors.EVENT_READ, asker)
    idle, times, errors, asked = list(askers), [], 0, 0
    began = now = time.perf_counter()
    first = most = last = memory(pid)
    looked = began
    while now < began + seconds or len(idle) < CONNECTIONS:
        while idle and now < began + seconds and (rate == 0 or asked < (now - began) * rate):
            idle.pop(0).ask(time.perf_counter())
            asked += 1
        for key, _ in waiting.select(0.001):
            asker = key.data
            done = asker.read()
            if done is False:
                continue
            if done is None:
                errors += 1
                waiting.unregister(asker.socket)
                asker.connect()
                waiting.register(asker.socket, selectors.EVENT_READ, asker)
            else:
                times.append(time.perf_counter() - asker.asked)
            idle.append(asker)
        now = time.perf_counter()
        if now > looked + 1:
            looked, last = now, memory(pid)
            most = max(most, last)
    times.sort()
    place = lambda share: round(times[min(len(times) - 1, int(len(times) * share))] * 1e3, 3) if times else None
    print(json.dumps({
        "answers_per_s": round(len(times) / (now - began)), "errors": errors,
        "ms": [place(0.5), place(0.99), place(1)], "kib": [first, last, most],
    }))


main()
