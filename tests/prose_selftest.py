#!/usr/bin/env python3
"""Shows that tests/prose.py refuses what it should, one fault at a time, and leaves code and quotations alone."""
import pathlib
import tempfile
import unittest

import prose


class Prose(unittest.TestCase):
    def problems(self, path, text, left=()):
        """Returns what prose.py reports about a tree of this one file."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            return prose.check(folder, left)

    def assert_refused(self, path, text, *words):
        problems = self.problems(path, text)
        self.assertEqual(len(problems), 1, problems)
        for word in (path, *words):
            self.assertIn(word, problems[0])

    def assert_accepted(self, path, text):
        self.assertEqual(self.problems(path, text), [])

    def test_plain_comments(self):
        self.assert_accepted("src/store/store.h", "// Returns the value; nullopt if missing.\nint get();\n")
        self.assert_accepted("src/store/store.h", "// Offsets are in bytes, nothing more.\nint get();\n")

    def test_openings(self):
        for opening in ["What a rule decided.", "Of a governed table.", "Who may read it.", "Whom it names.",
                        "The same for reads.", "Likewise for sets.", "Nothing when it is absent."]:
            with self.subTest(opening):
                self.assert_refused("src/value/x.h", f"int a;\n// {opening}\nint b;\n", ":2:", "begins with", opening.split()[0])

    def test_phrases(self):
        for phrase in ["An error is told once.", "Mistakes are told by name.", "It keeps whoever waits.", "A text that is no number.",
                       "The store goes on by itself.", "It fails if the table is not there.", "The older parameters are compiled.",
                       "A record of our own.", "It is written all the same.", "A table changed meanwhile.", "The hash key of a table."]:
            with self.subTest(phrase):
                self.assert_refused("src/value/x.cc", f"// {phrase}\nint b;\n", "write: ")

    def test_what_phrases_do_not_mean(self):
        for phrase in ["It is no longer used.", "There is no item.", "A person is asked.", "The job goes on until it ends."]:
            with self.subTest(phrase):
                self.assert_accepted("src/value/x.cc", f"// {phrase}\nint b;\n")

    def test_a_phrase_across_lines(self):
        self.assert_refused("src/value/x.cc", "// An error that is\n// told once.\nint b;\n", ":1:", "is told")

    def test_a_block_after_code_and_inside_of_functions(self):
        self.assert_refused("src/value/x.cc", "int f() {\n  // Of a table.\n  return 1;\n}\n", ":2:")

    def test_notes_behind_code(self):
        self.assert_refused("src/value/x.h", "int a = 0;  // is told\n", ":1:", "is told")
        self.assert_accepted("src/value/x.h", 'int a = 0;  // Of all\nauto url = "http://what.is.told";\n')

    def test_quotations_are_not_prose(self):
        self.assert_accepted("src/value/x.h", '// Returns "Nothing is told" or `what is no number`.\nint a;\n')

    def test_strings_are_not_comments(self):
        self.assert_accepted("src/value/x.cc", 'const char* a = "// What is told";\n')

    def test_python_and_cmake(self):
        self.assert_refused("tests/x.py", "# What is read.\nx = 1\n", ":1:", "What")
        self.assert_refused("cmake/X.cmake", "# Of all rooms.\nset(x)\n", ":1:", "Of")
        self.assert_refused("src/base/CMakeLists.txt", "# The same.\ntavola_room(base)\n", ":1:", "The same")
        self.assert_accepted("tests/x.py", "#!/usr/bin/env python3\nx = 1  # What\n")

    def test_markdown(self):
        self.assert_refused("docs/X.md", "# Title\n\nWhat it is.\n", ":3:", "What")
        self.assert_refused("README.md", "- **Of tables**: none\n", ":1:", "Of")
        self.assert_refused("docs/X.md", "A line.\n\n1. Good.\n2. Whoever waits.\n", ":4:")
        for text in ["## What happens\n", "| What | Of |\n|---|---|\n", "```\nWhat is told\n```\n", "    What is told\n", "> What is told\n"]:
            with self.subTest(text):
                self.assert_accepted("docs/X.md", text)

    def test_left(self):
        text = "// What is read.\nint a;\n"
        self.assertEqual(self.problems("src/cli/x.h", text, left=("src/cli/",)), [])
        problems = self.problems("src/value/x.h", text, left=("src/cli/",))
        self.assertEqual(len(problems), 2, problems)
        self.assertIn("src/cli/ is not needed in LEFT any more", problems[1])


if __name__ == "__main__":
    unittest.main()
