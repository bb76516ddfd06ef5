"""Tavola, a DynamoDB-compatible database, for tests and programs in Python.

    with tavola.Server() as server:
        table = server.resource().Table("Music")
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any, Iterator, Sequence

__all__ = ["Server", "environment", "program", "main"]


def program() -> str:
    """Returns the path of the program: the one in this package, or TAVOLA_PROGRAM."""
    return os.environ.get("TAVOLA_PROGRAM") or str(pathlib.Path(__file__).parent / "bin/tavola")


def main() -> None:
    """The command `tavola`: becomes the program."""
    os.execv(program(), ["tavola", *sys.argv[1:]])


class Server:
    """A server on a free port, in memory unless `data` names a folder. It ends with `stop`, and with this process."""

    region = "local"
    access_key = secret_key = "tavola"

    def __init__(self, *, data: str | os.PathLike[str] | None = None, designs: Sequence[str | os.PathLike[str]] = (),
                 args: Sequence[str] = ()) -> None:
        storage = ["--in-memory"] if data is None else ["--data", os.fspath(data)]
        design_options = [part for design in designs for part in ("--design", os.fspath(design))]
        reader, writer = os.pipe()
        command = [program(), "serve", "--port", "0", "--region", self.region, "--console", "off", "--ready-fd", str(writer),
                   "--die-with-parent", str(os.getpid()), *storage, *design_options, *args]
        # A file and not a pipe: a server that logs much must not wait for a reader.
        self._log = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(command, pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                             stderr=self._log)
        except BaseException:
            os.close(reader)
            self._log.close()
            raise
        finally:
            os.close(writer)
        with os.fdopen(reader) as ready:
            line = ready.read()
        if not line:
            code = self._process.wait()
            raise RuntimeError(f"Tavola did not start ({code}):\n{self.log().strip()}")
        self.endpoint: str = json.loads(line)["endpoint"]

    @property
    def pid(self) -> int:
        return self._process.pid

    def log(self) -> str:
        """Returns what the server has logged."""
        return os.pread(self._log.fileno(), 1 << 20, 0).decode(errors="replace")

    def stop(self) -> None:
        """Ends the server, and waits until it has ended."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._log.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def settings(self) -> dict[str, str]:
        """Returns the arguments that a client of boto3 needs."""
        return {"endpoint_url": self.endpoint, "region_name": self.region, "aws_access_key_id": self.access_key,
                "aws_secret_access_key": self.secret_key}

    def client(self, service: str = "dynamodb") -> Any:
        """Returns a client of boto3: for "dynamodb" or "dynamodbstreams"."""
        import boto3
        return boto3.client(service, **self.settings())

    def resource(self) -> Any:
        """Returns boto3's resource "dynamodb", with tables as objects."""
        import boto3
        return boto3.resource("dynamodb", **self.settings())


@contextlib.contextmanager
def environment(server: Server) -> Iterator[None]:
    """Points clients that are made without settings to a server: boto3, and programs that are started meanwhile."""
    # boto3 reads AWS_ENDPOINT_URL_DYNAMODB since version 1.28.
    names = {"AWS_ENDPOINT_URL_DYNAMODB": server.endpoint, "AWS_DEFAULT_REGION": server.region, "AWS_REGION": server.region,
             "AWS_ACCESS_KEY_ID": server.access_key, "AWS_SECRET_ACCESS_KEY": server.secret_key}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
