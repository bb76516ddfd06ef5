"""A server of PostgreSQL for the duration of a test: Debian's, with its data in memory and a Unix socket as its only door.

    with Postgres() as primary, Postgres(standby_of=primary) as standby:
        primary.url, primary.kill(), standby.promote()

PostgreSQL refuses to run as root, so it runs as the user `nobody` then.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

START_SECONDS = 60
MEMORY = pathlib.Path("/dev/shm")


def programs():
    """Returns the folder of the newest version's programs."""
    versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if not versions:
        raise AssertionError("PostgreSQL is not installed; run `packaging/setup test`")
    return versions[-1]


def as_somebody():
    """Returns how to start a process that is not root's."""
    return {"user": "nobody", "group": "nogroup", "extra_groups": []} if os.geteuid() == 0 else {}


class Postgres:
    def __init__(self, *settings, standby_of=None, where=MEMORY if MEMORY.exists() else None):
        self.directory = tempfile.mkdtemp(prefix="tavola-pg-", dir=where)
        self.data = f"{self.directory}/data"
        self.settings = settings
        self.standby_of = standby_of
        self.process = None

    @property
    def url(self):
        return self.url_with()

    def url_with(self, *others):
        """Returns the address of this server and of others, of which the primary is used."""
        hosts = ",".join(server.directory for server in (self, *others))
        return f"postgresql:///postgres?user=tavola&host={hosts}&target_session_attrs=read-write"

    def __enter__(self):
        if os.geteuid() == 0:
            shutil.chown(self.directory, "nobody", "nogroup")
        if self.standby_of is None:
            self.run("initdb", "-D", self.data, "-U", "tavola", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        else:
            self.run("pg_basebackup", "-D", self.data, "-h", self.standby_of.directory, "-U", "tavola", "-R",
                     "-X", "stream", "--no-sync", "-c", "fast", "-d", "application_name=standby")
        self.start()
        return self

    def __exit__(self, kind, problem, trace):
        if self.process is not None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        if problem is not None:
            problem.add_note("PostgreSQL's log:\n" + pathlib.Path(self.directory, "log").read_text()[-4000:])
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self):
        options = ["listen_addresses=", "max_connections=300", "shared_buffers=128MB", "fsync=off", *self.settings]
        with open(f"{self.directory}/log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [programs() / "postgres", "-D", self.data, "-k", self.directory,
                 *(part for option in options for part in ("-c", option))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", **as_somebody())
        deadline = time.monotonic() + START_SECONDS
        while subprocess.run([programs() / "pg_isready", "-q", "-h", self.directory], check=False).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError("PostgreSQL did not start")
            time.sleep(0.02)

    def kill(self):
        """Stops the server as a crash does."""
        self.process.kill()
        self.process.wait()
        self.process = None

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "promote", "-w", "-s")

    def sql(self, text):
        self.run("psql", "-q", "-X", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U", "tavola", "-d", "postgres",
                 "-c", text)

    def run(self, program, *arguments):
        done = subprocess.run([programs() / program, *arguments], cwd="/", capture_output=True, text=True, check=False,
                              **as_somebody())
        if done.returncode != 0:
            raise AssertionError(f"{program} failed: {done.stderr}")
