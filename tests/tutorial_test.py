#!/usr/bin/env python3
"""Follows docs/TUTORIAL.md and docs/DESIGN-TESTS.md literally: every command is run, and what it prints is compared with what the pages show.

    tests/tutorial_test.py PROGRAM
"""
import pathlib
import sys
import unittest

import documented

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = None  # from the command line


class Tutorial(unittest.TestCase):
    def test_it_works_as_shown(self):
        for page in ("TUTORIAL.md", "DESIGN-TESTS.md"):
            with self.subTest(page), documented.Session(PROGRAM) as session:
                session.follow(ROOT / "docs" / page)

    def test_a_wrong_page_is_noticed(self):
        for shown in ["two\n", "on\n", "…two…\n"]:
            self.assertFalse(documented.fits("one\n", shown), shown)
        for shown in ["one", "o…e\n", "…\n"]:
            self.assertTrue(documented.fits("one\n", shown), shown)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
