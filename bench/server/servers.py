"""The measured servers: how each is installed, started and observed from outside."""
import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from typing import Callable

from operations import Signer

START_SECONDS = 30
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

# The durability of an acknowledged write. Only servers of one class are compared.
SYNCED, UNSYNCED, MEMORY, NOTHING = "synced", "not synced", "in memory", "-"


@dataclass
class Kind:
    name: str
    durability: str
    command: Callable = None            # (port, data) → arguments
    environment: Callable = None        # (port, data) → variables
    url: str = ""                       # of a server that runs already
    is_echo: bool = False
    threads: int = 0


@dataclass
class Running:
    """A started server, or an external one (then there is no process to observe)."""
    kind: Kind
    host: str
    port: int
    process: subprocess.Popen = None
    seconds_to_answer: float = 0
    log: pathlib.Path = None
    children: list = field(default_factory=list)

    @property
    def authority(self):
        return f"{self.host}:{self.port}"

    def call(self, api, body):
        """Returns (status, text)."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        request = Signer(self.authority).request(api, body)
        head, _, text = request.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        try:
            connection.request("POST", "/", text, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def processes(self):
        """The process and its descendants."""
        parents = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(stat.parent.name)] = int(fields[1])
        tree = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
            tree |= more
        return tree

    def cpu_seconds(self):
        """Returns user and system time of the whole tree so far; None for an external server."""
        if self.process is None:
            return None
        total = 0
        for pid in self.processes():
            try:
                fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])  # utime and stime, of all threads
        return total / TICKS

    def resident_bytes(self):
        return sum(int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE for pid in self.processes())

    def stop(self):
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(kind, folder):
    """Starts a server on an empty directory and waits for its first response."""
    if kind.url:
        host, _, port = kind.url.removeprefix("http://").rstrip("/").partition(":")
        return Running(kind, host, int(port or 80))
    data = folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    port = free_port()
    environment = {**os.environ, "HOME": str(data), **(kind.environment(port, data) if kind.environment else {})}
    log = folder / "log"
    with open(log, "wb") as out:
        started = time.perf_counter()
        process = subprocess.Popen([str(part) for part in kind.command(port, data)], env=environment, cwd=data,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    server = Running(kind, "127.0.0.1", port, process, log=log)
    while not answers(server):
        if process.poll() is not None or time.perf_counter() - started > START_SECONDS:
            server.stop()
            raise RuntimeError(f"{kind.name} does not answer:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.0005)
    server.seconds_to_answer = time.perf_counter() - started
    return server


def answers(server):
    try:
        return server.call("ListTables", {})[0] == 200
    except (OSError, http.client.HTTPException):
        return False


# ---- The servers ----

def own(program, echo):
    """Returns this server in its three modes, and the bare echo."""
    def serve(*options):
        return lambda port, data: [program, "serve", "--port", port, "--quiet",
                                   *(option.replace("DATA", str(data / "db")) for option in options)]
    yield Kind("echo", NOTHING, lambda port, data: [echo, port, os.cpu_count()], is_echo=True)
    yield Kind("tavola synced", SYNCED, serve("--data", "DATA"))
    yield Kind("tavola relaxed", UNSYNCED, serve("--data", "DATA", "--durability", "relaxed"))
    yield Kind("tavola memory", MEMORY, serve("--in-memory"))


PACKAGES = {"dynoxide": "@dynoxide/linux-x64", "extenddb": "@extenddb/linux-x64", "dynalite": "dynalite"}


def installed(name, cache):
    """Returns the executable of a peer, fetched from npm once; None if that is not possible."""
    folder = cache / name
    program = folder / "node_modules" / PACKAGES[name] / ("cli.js" if name == "dynalite" else name)
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, PACKAGES[name]],
                           check=True, capture_output=True, timeout=300)
        except (OSError, subprocess.SubprocessError):
            return None
    return program if program.exists() else None


def peers(cache, skipped):
    """Returns the peers that can be installed, on the disk and in memory. strace shows what each does with a put."""
    if program := installed("dynoxide", cache):
        yield Kind("dynoxide disk", SYNCED, lambda port, data: [program, "--port", port, "--db-path", data / "db.sqlite"])
        yield Kind("dynoxide memory", MEMORY, lambda port, data: [program, "--port", port])
    else:
        skipped.append("dynoxide")
    if extenddb := installed("extenddb", cache):
        def at(path):
            return lambda port, data: {"EXTENDDB__SERVER__PORT": str(port), "EXTENDDB__STORAGE__SQLITE__PATH":
                                       path.replace("DATA", str(data))}
        yield Kind("extenddb disk", UNSYNCED, lambda port, data: [extenddb, "serve", "--foreground"], at("DATA/db.sqlite"))
        yield Kind("extenddb memory", MEMORY, lambda port, data: [extenddb, "serve", "--foreground"], at(":memory:"))
    else:
        skipped.append("extenddb")
    if dynalite := installed("dynalite", cache):
        def node(*options):
            return lambda port, data: ["node", dynalite, "--host", "127.0.0.1", "--port", port, "--createTableMs", "0",
                                       *(option.replace("DATA", str(data / "db")) for option in options)]
        yield Kind("dynalite disk", UNSYNCED, node("--path", "DATA"))
        yield Kind("dynalite memory", MEMORY, node())
    else:
        skipped.append("dynalite")
