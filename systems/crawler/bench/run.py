#!/usr/bin/env python3
"""Pages per second and CPU per page of tavola-crawler and of wget2, on a local site of 20,000 pages, each with one connection.

    systems/crawler/bench/run.py BUILD [--pages 20000]

BUILD has crawler_site and tavola-crawler (crawler_program), compiled with optimisation.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


def measured(name, command, folder, pages):
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    cpu = usage.ru_utime + usage.ru_stime
    print(f"{name:42} {pages / seconds:8.0f} pages/s {cpu / pages * 1e6:8.0f} µs CPU/page {usage.ru_maxrss / 1024:7.0f} MB   exit {status}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=20_000)
    options = parser.parse_args()
    build = options.build.resolve()
    crawler = build / "tavola-crawler"
    for pages in (options.pages // 10, options.pages):
        with subprocess.Popen([build / "crawler_site", str(pages)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as site:
            port = site.stdout.readline().strip()
            all_pages = pages + (pages + 99) // 100 + 1
            crawl = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--scheme", "http", "--delay", "0s", "--pages", str(all_pages)]
            with tempfile.TemporaryDirectory() as folder:
                place = ["--data", folder + "/registry"]
                subprocess.run([crawler, "register", "bench.example.com", "--country", "DE", *place], check=True, stdout=subprocess.DEVNULL)
                measured(f"tavola-crawler, {pages} products", [crawler, "crawl", *crawl, *place], folder, all_pages)
                measured("tavola-crawler, the same again, read in full", [crawler, "crawl", "--older-than", "0s", *crawl, *place], folder, all_pages)
            if shutil.which("wget2"):
                with tempfile.TemporaryDirectory() as folder:
                    measured(f"wget2, {pages} products",
                             ["wget2", "-q", "-r", "-l", "inf", "--max-threads=1", "--no-robots", "-P", folder, f"http://127.0.0.1:{port}/"],
                             folder, all_pages)
            site.stdin.close()


if __name__ == "__main__":
    main()
