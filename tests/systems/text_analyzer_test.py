#!/usr/bin/env python3
"""tavola-text-analyzer from the outside: the process, its files and its messages.

    tests/systems/text_analyzer_test.py PROGRAM
"""
import collections
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None  # from the command line
MEMORY_BYTES_MAX = 64 << 20


def run(*arguments, text=b"", **options):
    return subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, check=False, timeout=120, **options)


def count(text):
    done = run("count", "-", text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Count(unittest.TestCase):
    def test_the_words_of_the_requirement(self):
        result = count("Don't stop: e-mail 3rd naïve café Café".encode())
        self.assertEqual([result["totalWords"], result["uniqueWords"], result["avgWordLength"]], [9, 8, 3.11])
        self.assertEqual(result["top10Words"][0], {"word": "café", "count": 2})
        result = count("𝒜b 東京 東京".encode("utf-16"))
        self.assertEqual([result["totalWords"], result["uniqueWords"], result["avgWordLength"]], [3, 2, 2.33])
        result = count(b"")
        self.assertEqual([result["totalWords"], result["uniqueWords"], result["avgWordLength"], result["top10Words"]], [0, 0, 0, []])

    def test_many_different_words_need_little_memory_and_are_all_counted(self):
        letters = random.Random(7)
        words = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyzäé", k=letters.randint(4, 9))) for _ in range(1_000_000)]
        with tempfile.NamedTemporaryFile(suffix=".txt") as file:
            file.write(" ".join(words).encode())
            file.flush()
            # Beyond this limit the process gets no memory, and ends.
            limited = lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
            done = run("count", file.name, preexec_fn=limited)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        counts = collections.Counter(words)
        self.assertEqual(result["totalWords"], len(words))
        self.assertEqual(result["uniqueWords"], len(counts))
        self.assertEqual([entry["count"] for entry in result["top10Words"]], [number for _, number in counts.most_common(10)])

    def test_words_are_what_python_finds(self):
        text = "".join(random.Random(3).choices("aAéÉßøЖж東 \n.-'19_ǅİΣσ🎉", k=200_000))
        expected = collections.Counter()
        for run_of_letters in re.findall(r"[^\W\d_]+", text):
            expected[run_of_letters.lower()] += 1
        result = count(text.encode())
        self.assertEqual(result["totalWords"], sum(expected.values()))
        self.assertEqual(result["uniqueWords"], len(expected))

    def test_files_that_are_no_text_are_named_and_the_others_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            picture, letter = pathlib.Path(folder, "photo.png"), pathlib.Path(folder, "letter.txt")
            picture.write_bytes(b"\x89PNG\r\n")
            letter.write_text("Dear Anna")
            done = run("count", picture, pathlib.Path(folder, "missing.txt"), letter)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["totalWords"], 2)
        self.assertIn("photo.png: The file is not text: byte 1 is not valid UTF-8.", done.stderr.decode())
        self.assertIn("missing.txt: cannot be opened: No such file or directory", done.stderr.decode())

    def test_a_result_that_cannot_be_written_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "count", "-"], input=b"a", stdout=full, stderr=subprocess.PIPE, check=False, timeout=120)
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (1, "tavola-text-analyzer: the result cannot be written: No space left on device\n"))

    def test_a_wrong_command_says_what_there_is(self):
        done = run("cuont", "x")
        self.assertEqual((done.returncode, done.stderr.decode()),
                         (2, "tavola-text-analyzer: there is no command cuont\n`tavola-text-analyzer --help` lists commands and options.\n"))
        done = run("count", "--json", "x")
        self.assertEqual((done.returncode, "count takes files only (was --json)" in done.stderr.decode()), (2, True))

    def test_it_tells_about_itself(self):
        for words in (["--help"], ["-h"], ["count", "--help"], ["serve", "-h"]):
            done = run(*words)
            self.assertEqual((done.returncode, "tavola-text-analyzer count FILE" in done.stdout.decode()), (0, True), words)
        self.assertRegex(run("--version").stdout.decode(), r"^tavola-text-analyzer \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
