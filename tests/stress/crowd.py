"""Many connections in one thread, each with one pending request at any time.

    crowd = Crowd(address, 256, work)
    crowd.run(until)

`work.next(who)` gives (operation, body, note) for a connection, or None when it is done; `work.answered(who, note,
status, body)` gets the response, `work.broken(who, note)` is called if none will come.
"""
import select
import socket
import time

from connection import request_bytes, split_answer


class Crowd:
    def __init__(self, address, size, work):
        self.address = address
        self.work = work
        self.poll = select.epoll()
        self.sockets = {}  # by descriptor: socket, who, note, bytes so far
        self.is_over = False
        for who in range(size):
            self.open(who)

    def open(self, who):
        connection = socket.create_connection(self.address)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.poll.register(connection.fileno(), select.EPOLLIN)
        self.sockets[connection.fileno()] = [connection, who, None, b""]

    def run(self, until):
        """Runs until the time is up and all responses have arrived, or every connection is closed."""
        for descriptor in list(self.sockets):
            self.send(descriptor)
        while self.sockets:
            for descriptor, _ in self.poll.poll(1):
                self.receive(descriptor)
            self.is_over = self.is_over or time.monotonic() > until

    def send(self, descriptor):
        state = self.sockets[descriptor]
        request = None if self.is_over else self.work.next(state[1])
        if request is None:
            self.drop(descriptor)
            return
        operation, body, state[2] = request
        try:
            state[0].sendall(request_bytes(operation, body))
        except OSError:
            self.lose(descriptor)

    def receive(self, descriptor):
        state = self.sockets[descriptor]
        try:
            data = state[0].recv(1 << 18)
        except OSError:
            data = b""
        if not data:
            self.lose(descriptor)
            return
        state[3] += data
        parts = split_answer(state[3])
        if parts is not None:
            status, body, state[3] = parts
            self.work.answered(state[1], state[2], status, body)
            self.send(descriptor)

    def lose(self, descriptor):
        _, who, note, _ = self.sockets[descriptor]
        self.drop(descriptor)
        self.work.broken(who, note)

    def drop(self, descriptor):
        self.poll.unregister(descriptor)
        self.sockets.pop(descriptor)[0].close()
