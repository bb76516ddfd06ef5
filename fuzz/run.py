#!/usr/bin/env python3
"""Runs every fuzz target of a build for some seconds: a short, bounded campaign (make fuzz).

    fuzz/run.py build/fuzz --seconds 10

The inputs found are kept in the build folder and used again next time, in addition to those of fuzz/corpus/. A crash
leaves
the input that caused it in build/fuzz/findings/ and fails the run.
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=10, help="per target")
    options = parser.parse_args()

    names = sorted(path.stem for path in (ROOT / "fuzz").glob("*_fuzz.cc"))
    failed = [name for name in names if not fuzz(options.build.resolve(), name, options.seconds)]
    print(f"\n{len(names)} fuzz targets, {options.seconds} s each: " +
          (f"FAILED: {', '.join(failed)}" if failed else "nothing found."))
    return 1 if failed or not names else 0


def fuzz(build, name, seconds):
    found = build / "corpus" / name
    findings = build / "findings"
    found.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    start = ROOT / "fuzz/corpus" / name.removesuffix("_fuzz")
    corpora = [str(found)] + ([str(start)] if start.is_dir() else [])
    dictionary = ROOT / "fuzz/corpus" / f"{name.removesuffix('_fuzz')}.dict"
    arguments = [f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", "-verbosity=0",
                 "-print_final_stats=1", f"-artifact_prefix={findings}/{name}-"]
    if dictionary.is_file():
        arguments.append(f"-dict={dictionary}")
    outcome = subprocess.run([str(build / "fuzz" / name), *arguments, *corpora], text=True, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    runs = next((line.split()[-1] for line in outcome.stdout.splitlines() if "number_of_executed_units" in line), "?")
    print(f"{name}: {'ok' if outcome.returncode == 0 else 'FAILED'}, {runs} inputs", flush=True)
    if outcome.returncode != 0:
        print(outcome.stdout, flush=True)
    return outcome.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
