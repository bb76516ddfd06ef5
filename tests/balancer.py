"""One address in front of several servers:

    balancer = Balancer([("127.0.0.1", 8000), ("127.0.0.1", 8001)])
    ... clients connect to balancer.url
    balancer.listener.close()

Gives each connection to the next of the servers that can be reached. When a server dies, so do its connections.
"""
import socket
import threading


class Balancer:
    def __init__(self, addresses):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.addresses = list(addresses)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        for number in range(1_000_000_000):
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # it is closed
            server = self.connect(number)
            if server is None:
                client.close()
                continue
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(one, other), daemon=True).start()

    def connect(self, number):
        for turn in range(len(self.addresses)):
            try:
                return socket.create_connection(self.addresses[(number + turn) % len(self.addresses)])
            except OSError:
                pass  # it is dead: the next one
        return None

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side has ended
        finally:
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RD)
                except OSError:
                    pass
