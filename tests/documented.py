"""Runs the commands of a page as a reader would, in an empty folder, and compares what they print with what the page shows.

A page is a list of fenced blocks:

    ```yaml      and ```python: a first line `# NAME` names the file that the reader saves the block as
    ```sh        commands. `tavola serve` and `make serve` start the server in a terminal of its own; an earlier server is
                 stopped by Ctrl-C first. Other `make` commands are not run.
    ```text      and ```json: the output of the commands before it, `…` standing for anything. Commands without such a block
                 must succeed

The server gets a free port instead of 8000.
"""
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
START_SECONDS = 60
COMMAND_SECONDS = 300


def blocks(page):
    """Language, text and line number of each fenced block."""
    text = page.read_text()
    return [(found.group(1), found.group(2), text.count("\n", 0, found.start()) + 1) for found in BLOCK.finditer(text)]


class Session:
    """A reader's terminal. `with Session(program) as session: session.follow(page)` raises AssertionError where the page is wrong."""

    def __init__(self, program):
        self.program = pathlib.Path(program).resolve()
        self.server = None

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        base = pathlib.Path(self.temporary.name)
        self.folder = base / "home"
        self.folder.mkdir()
        self.exports = base / "exports"
        self.exports.write_text("")
        (base / ".curlrc").write_text("silent\nshow-error\n")  # on a terminal, curl shows no progress either
        (base / "bin").mkdir()
        (base / "bin/tavola").symlink_to(self.program)
        # Debian's aws and python3 come first: the pages must work with these.
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        self.environment = kept | {"PATH": f"{base}/bin:/usr/bin:/bin", "HOME": str(base), "NO_COLOR": "1"}
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = str(probe.getsockname()[1])
        return self

    def __exit__(self, *_):
        self.stop_server()
        self.temporary.cleanup()

    def follow(self, page):
        everything = blocks(page)
        for (language, text, line), following in zip(everything, everything[1:] + [("", "", 0)]):
            place = f"{page.name}:{line}"
            text = text.replace("8000", self.port)
            name = re.match(r"# ([\w.-]+\.(?:yaml|py))\n", text)
            if language in ("yaml", "python") and name:
                (self.folder / name.group(1)).write_text(text)
            elif language == "sh":
                shown = following[1].replace("8000", self.port) if following[0] in ("text", "json") else None
                self.run(place, text, shown)

    def run(self, place, commands, shown):
        lines = [line for line in commands.splitlines() if not re.match(r"make (?!serve)", line)]
        for line in [line for line in lines if re.match(r"(tavola|make) serve", line)]:
            self.start_server(place, line.partition("#")[0].replace("make", "tavola").split()[2:])
            lines.remove(line)
        if not any(lines):
            return
        script = "\n".join([f". {self.exports}", *lines, "code=$?", f"export -p >{self.exports}; pwd >{self.exports}.folder", "exit $code"])
        options = ["-e"] if shown is None else []
        done = subprocess.run(["bash", *options, "-c", script], cwd=self.folder, env=self.environment, text=True, timeout=COMMAND_SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if shown is None and done.returncode != 0:
            raise AssertionError(f"{place}: the commands fail with exit code {done.returncode}:\n{commands}\n{done.stdout}")
        if shown is not None and not fits(done.stdout, shown):
            raise AssertionError(f"{place}: the commands\n{commands}\nprint\n{done.stdout}\nand the page shows\n{shown}")
        self.folder = pathlib.Path(pathlib.Path(f"{self.exports}.folder").read_text().strip())

    def start_server(self, place, options):
        self.stop_server()
        self.server = subprocess.Popen([self.program, "serve", "--port", self.port, *options], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.server.poll() is None:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health/live", timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        self.server.kill()
        raise AssertionError(f"{place}: the server does not start:\n{self.server.communicate()[1]}")

    def stop_server(self):
        if self.server:
            self.server.send_signal(signal.SIGINT)
            self.server.communicate(timeout=START_SECONDS)
            self.server = None


def fits(printed, shown):
    """Whether the output is what a page shows. Blanks at the ends of lines and of the output do not count."""
    def tidy(text):
        return "\n".join(line.rstrip() for line in text.strip().splitlines())
    pattern = ".*?".join(re.escape(part) for part in tidy(shown).split("…"))
    return re.fullmatch(pattern, tidy(printed), re.DOTALL) is not None
