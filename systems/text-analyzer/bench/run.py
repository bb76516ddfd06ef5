#!/usr/bin/env python3
"""MB per second and memory of the analysis of texts, beside `tr | sort | uniq -c` and a Counter of Python, on one core.

    systems/text-analyzer/bench/run.py BUILD [--megabytes 200] [--large GIGABYTES]

BUILD has tavola-text-analyzer (text-analyzer), compiled with optimisation. --large announces a text of that size to the program, puts it into the bucket and waits for its
result: the whole way of an upload, with the memory of the worker.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

LATIN = "abcdefghijklmnopqrstuvwxyz"
TR = ["bash", "-c", r"""export LC_ALL=C; tr 'A-Z' 'a-z' <"$1" | tr -cs 'a-z' '\n' | sort -S 64M | uniq -c | sort -rn | head -10""", "bash"]
COUNTER = [sys.executable, "-c", r"""
import collections, re, sys
words = re.compile(r"[^\W\d_]+")
counts = collections.Counter()
with open(sys.argv[1], encoding="utf-8") as text:
    for line in text:
        counts.update(words.findall(line.lower()))
print(counts.most_common(10))
"""]


def paragraph(dice, words):
    """Words as often as in a language: the one in place n is n times rarer than the first."""
    lines = []
    for _ in range(2000):
        chosen = dice.choices(words, cum_weights=paragraph.weights, k=12)
        lines.append(" ".join(chosen).capitalize() + ".")
    return ("\n".join(lines) + "\n").encode()


def paragraphs(letters, different):
    """A few megabytes of text to be repeated, in which each word is written with these letters."""
    dice = random.Random(19)
    words = list({"".join(dice.choices(letters, k=dice.randint(2, 11))) for _ in range(different)})
    total = 0.0
    paragraph.weights = [total := total + 1 / (place + 1) for place in range(len(words))]
    return [paragraph(dice, words) for _ in range(40)]


def write_text(path, letters, size):
    """Writes the text in a process of its own: the memory of this one would count as that of those that it starts."""
    if child := os.fork():
        if os.waitpid(child, 0)[1] != 0:
            raise SystemExit("the text could not be written")
        return
    parts = paragraphs(letters, 50_000)
    dice = random.Random(7)
    with open(path, "wb") as file:
        while file.tell() < size:
            file.write(dice.choice(parts))
    os._exit(0)


def measured(name, command, size):
    begin = time.monotonic()
    process = subprocess.Popen(["taskset", "-c", "0", *map(str, command)], stdout=subprocess.PIPE)
    result = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    cpu = usage.ru_utime + usage.ru_stime
    megabytes = size / 1e6
    print(f"{name:44} {megabytes / seconds:8.1f} MB/s {megabytes / cpu:8.1f} MB per CPU s {usage.ru_maxrss / 1024:7.0f} MB   exit {process.returncode}", flush=True)
    return result


def ask(url, body=None):
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def upload(url, path):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=600)
    with open(path, "rb") as file:
        connection.request("PUT", parts.path + "?" + parts.query, file, {"Content-Length": str(path.stat().st_size)})
        answer = connection.getresponse()
        if answer.status != 200:
            raise SystemExit(f"the upload was refused: {answer.status} {answer.read()}")


def peak_memory(pid):
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def whole_way(program, folder, size):
    """An upload of about `size` bytes, from the announcement to the result."""
    text = folder / "large.txt"
    write_text(text, LATIN, size)
    size = text.stat().st_size
    with subprocess.Popen([program, "serve", "--data", folder / "data", "--port", "0", "--workers", "1", "--lease", "2h"],
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        url = re.search(r"listening url=(\S+)", next(line for line in server.stderr if "listening" in line))[1]
        announced = ask(url + "/files", {"ownerId": "bench", "name": "large.txt", "size": size})
        begin = time.monotonic()
        upload(announced["upload"]["url"], text)
        text.unlink()
        uploaded = time.monotonic()
        where = f"{url}/v1/text-analyzer-history/getFile?fileId={announced['fileId']}"
        while (file := ask(where))["status"] in ("PENDING", "IN_PROGRESS"):
            time.sleep(0.5)
        done = time.monotonic()
        print(f"{size / 1e9:.1f} GB uploaded in {uploaded - begin:.0f} s and counted in {done - uploaded:.0f} s: {file['status']}, "
              f"{file['result']['totalWords']} words, {file['result']['uniqueWords']} different ones; the program needed {peak_memory(server.pid):.0f} MB", flush=True)
        server.terminate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--large", type=float, default=0, metavar="GIGABYTES")
    options = parser.parse_args()
    program = options.build.resolve() / "tavola-text-analyzer"
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        folder = pathlib.Path(folder)
        for name, letters in (("letters of English", LATIN), ("letters of German and Greek", "abcdefghiklmnoprstuväöüßαβγδε")):
            text = folder / "text.txt"
            write_text(text, letters, options.megabytes * 1_000_000)
            size = text.stat().st_size
            print(f"{options.megabytes} MB, {name}")
            counted = json.loads(measured("tavola-text-analyzer count", [program, "count", text], size))
            measured("Counter of Python", [*COUNTER, text], size)
            if letters is LATIN:
                top = measured("tr | sort | uniq -c, ASCII only", [*TR, text], size).decode().split()
                expected = [str(counted["top10Words"][0]["count"]), counted["top10Words"][0]["word"]]
                if top[:2] != expected:
                    raise SystemExit(f"they count differently: {top[:2]} and {expected}")
            text.unlink()
        if options.large:
            whole_way(program, folder, int(options.large * 1e9))


if __name__ == "__main__":
    main()
