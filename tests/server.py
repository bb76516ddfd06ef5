"""A server for the duration of a test:

    with Server(program, "--in-memory") as server:
        client = boto3.client("dynamodb", endpoint_url=server.url, ...)

The kernel chooses the port. At the end the server gets SIGTERM and must end with exit code 0; one that does not, or
that ended earlier, fails the test and shows its log.
"""
import re
import subprocess
import threading
import time

START_SECONDS = 60  # far more than it takes: the machine may be busy, or the build instrumented
STOP_SECONDS = 60


class Server:
    def __init__(self, program, *options, environment=None, limits=None):
        self.command = [str(program), "serve", "--port", "0", "--quiet", *map(str, options)]
        self.environment = environment
        self.limits = limits  # called in the server's process before it starts
        self.url = None      # http://127.0.0.1:PORT
        self.process = None
        self.log = []        # its lines, as they come
        self._listening = threading.Event()
        self._reader = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, problem, trace):
        if kind is None:
            self.stop()
            return
        self.kill()  # the test failed already: its own message matters, and the log
        problem.add_note("The server's log:\n" + self.log_text())

    def start(self):
        self.process = subprocess.Popen(self.command, env=self.environment, preexec_fn=self.limits, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        self._listening.wait(START_SECONDS)
        if self.url is None:
            self.kill()
            raise AssertionError(f"{' '.join(self.command)} does not listen (exit code {self.process.returncode}):\n"
                                 + self.log_text())

    def stop(self):
        """Stops the server as an operator does; returns its log."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not stop within {STOP_SECONDS} s:\n" + self.log_text()) from None
        self._reader.join()
        if self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n" + self.log_text())
        return self.log

    def kill(self):
        """Stops the server as a power cut does."""
        self.process.kill()
        self.process.wait()
        self._reader.join()

    def wait_for_log(self, words):
        """Waits until a line of the log contains this text."""
        deadline = time.monotonic() + START_SECONDS
        while words not in self.log_text():
            if time.monotonic() > deadline:
                raise AssertionError(f"the log does not say '{words}':\n" + self.log_text())
            time.sleep(0.01)

    def log_text(self):
        return "".join(self.log)

    def _read_log(self):
        with self.process.stderr as stream:
            for line in stream:
                self.log.append(line)
                found = re.search(r"\blistening\b.*?(https?://[^\s\"]+)", line)
                if found and self.url is None:
                    self.url = found[1]
                    self._listening.set()
        self._listening.set()  # it ended: nothing to wait for
