#!/usr/bin/env python3
"""The cost of http/: processor time per request of an echo on it and of a bare one on Boost.Beast.

    bench/server/echo_ratio.py build/release [--connections 32] [--threads 2] [--seconds 5] [--rounds 3]

Drives both with wrk: POSTs of 1 KB with the headers of a DynamoDB request. Takes the best round of each: another load
on the machine only ever adds.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

REQUEST = """
wrk.method = "POST"
wrk.body = string.rep("x", 1000)
wrk.headers["Content-Type"] = "application/x-amz-json-1.0"
wrk.headers["X-Amz-Target"] = "DynamoDB_20120810.GetItem"
wrk.headers["X-Amz-Date"] = "20130609T100759Z"
wrk.headers["Authorization"] = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20130609/us-east-1/dynamodb/aws4_request, " ..
    "SignedHeaders=content-type;host;x-amz-date;x-amz-target, Signature=" .. string.rep("0", 64)
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    best = {}
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(REQUEST)
        script.flush()
        for _ in range(options.rounds):
            for name in ("server_echo", "server_room_echo"):
                rate, cost = measure(options, options.build / "bench/server" / name, script.name)
                print(f"{name:16} {rate:8.0f} requests/s {cost:6.2f} us of processor time each", flush=True)
                best[name] = min(cost, best.get(name, cost))
    print(f"http/ takes {best['server_room_echo'] / best['server_echo']:.2f} of the bare echo")


def measure(options, program, script):
    """Returns (requests per second, microseconds of the server's processor time per request)."""
    server = subprocess.Popen([program, "0", str(options.threads)], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/"
        run_wrk(url, options.connections, 1, script)  # warms up
        before = processor_seconds(server.pid)
        requests = run_wrk(url, options.connections, options.seconds, script)
        return requests / options.seconds, (processor_seconds(server.pid) - before) / requests * 1e6
    finally:
        server.terminate()
        server.wait()


def run_wrk(url, connections, seconds, script):
    output = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", script, url],
                            capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(output)
    return int(re.search(r"(\d+) requests in", output).group(1))


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
