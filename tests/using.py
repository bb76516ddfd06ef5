#!/usr/bin/env python3
"""Compares docs/USING.md with the help texts of the program: each command has a section with a row for each of its options,
each row has an example that uses the option, and no row or example has an option that the command does not have.

    tests/using.py PROGRAM
"""
import functools
import pathlib
import re
import subprocess
import sys
import unittest

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/USING.md"
PROGRAM = None  # from the command line
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
EVERYWHERE = {"--help", "--version", "--color"}  # described once, at the top of the page


@functools.cache
def commands(words=()):
    """The options of each command that does something, by its words: `design check`."""
    text = subprocess.run([PROGRAM, *words, "--help"], text=True, check=True, stdout=subprocess.PIPE).stdout
    below = re.search(r"^(?:Subc|C)ommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    if not below:
        # An option begins its line with its names: `  -o, --output FILE    The file`
        names = " ".join(re.findall(r"^  ((?:-\w, ?)?--[a-z][a-z0-9-]*(?:, ?--[a-z][a-z0-9-]*)*)", text, re.MULTILINE))
        return {" ".join(words): set(OPTION.findall(names.replace(",", " "))) - EVERYWHERE}
    found = {}
    for name in re.findall(r"^  ([a-z]\w*) ", below.group(1), re.MULTILINE):
        found |= commands((*words, name))
    return found


def sections():
    """The rows of each section `## tavola COMMAND`: a dictionary from the options in the first cell to the whole row."""
    found = {}
    for title, body in re.findall(r"^##+ `tavola ([a-z ]+)`\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        found[title] = [row.strip("|").split(" | ") for row in re.findall(r"^\| `-.*$", body, re.MULTILINE)]
    return found


class Using(unittest.TestCase):
    def test_every_command_and_option_is_described(self):
        described = sections()
        self.assertEqual(sorted(described), sorted(commands()))
        for command, options in commands().items():
            with self.subTest(command):
                rows = described[command]
                self.assertEqual(sorted(option for row in rows for option in OPTION.findall(row[0])), sorted(options))

    def test_every_option_has_an_example(self):
        known = commands()
        for command, rows in sections().items():
            for row in rows:
                option = OPTION.search(row[0]).group()
                with self.subTest(f"{command} {option}"):
                    self.assertEqual(len(row), 3, "option, meaning, example")
                    self.assertRegex(row[2], rf"`tavola {command}\b.* ?{option}\b")
                    for used in OPTION.findall(row[2]):
                        self.assertIn(used, known.get(command, set()))


if __name__ == "__main__":
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
