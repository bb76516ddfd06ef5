"""Facts and functions that the packages share: the version, the time of the commit, the installed files, archives whose bytes
depend on nothing else."""
import gzip
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/static"
OUT = pathlib.Path(os.environ.get("TAVOLA_PACKAGES", ROOT / "build/packages"))
STAGE = OUT / ".stage"  # what `cmake --install` installs, stripped

VERSION = re.search(r"project\(tavola VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
DESCRIPTION = "A DynamoDB-compatible database that knows your single-table design"
# Where the owner publishes the packages; recipes that download name it.
RELEASES = os.environ.get("TAVOLA_RELEASES") or f"https://example.com/tavola/{VERSION}"

# The names that each kind of package gives to the architecture of the program.
MACHINE = os.uname().machine
DEB = {"x86_64": "amd64", "aarch64": "arm64"}[MACHINE]
NODE = {"x86_64": "x64", "aarch64": "arm64"}[MACHINE]


def run(*command, **settings):
    """Runs a command; returns what it printed, or ends the program with it."""
    command = [str(part) for part in command]
    outcome = subprocess.run(command, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings)
    if outcome.returncode != 0:
        sys.exit(f"{shlex.join(command)} failed with {outcome.returncode}:\n{outcome.stdout}")
    return outcome.stdout


def commit_time():
    """The time that all packages carry: SOURCE_DATE_EPOCH, or that of the commit."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(run("git", "-c", "safe.directory=*", "-C", ROOT, "log", "-1", "--format=%ct"))


EPOCH = commit_time()
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def stage():
    """Installs the build into STAGE, without debug information."""
    shutil.rmtree(STAGE, ignore_errors=True)
    run("cmake", "--install", BUILD, "--prefix", STAGE)
    run("strip", "--strip-all", STAGE / "bin/tavola")
    for library in STAGE.rglob("*.a"):
        run("strip", "--strip-debug", "--enable-deterministic-archives", library)


def program():
    return STAGE / "bin/tavola"


def _normal(info):
    info.mtime, info.uid, info.gid, info.uname, info.gname = EPOCH, 0, 0, "root", "root"
    info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
    return info


def tar_of(folder, prefix=""):
    """The bytes of an archive of a folder: sorted, with one time and one owner."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            name = str(pathlib.PurePosixPath(prefix) / path.relative_to(folder))
            archive.add(path, arcname=name, recursive=False, filter=_normal)
    return out.getvalue()


def gzipped(data):
    return gzip.compress(data, compresslevel=9, mtime=0)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fresh(path):
    """An empty folder."""
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    return path


def fill(source, target, **words):
    """Copies a text file, with @NAME@ replaced."""
    text = source.read_text()
    for name, value in {"VERSION": VERSION, "RELEASES": RELEASES, "DESCRIPTION": DESCRIPTION, **words}.items():
        text = text.replace(f"@{name}@", str(value))
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    shutil.copymode(source, target)
