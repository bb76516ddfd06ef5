#!/usr/bin/env python3
"""Checks that misuse of the public headers does not compile, with the warnings of a careful program."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """#include <tavola/tavola.h>
using namespace tavola;
void use(Database& db, Table& table, const Item& key);
void use([[maybe_unused]] Database& db, [[maybe_unused]] Table& table, [[maybe_unused]] const Item& key) {
"""


def errors(statements, standard="c++23"):
    """Returns the compiler's errors for each statement, by its number."""
    command = ["g++", f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}",
               "-x", "c++", "-"]
    program = HEAD + "".join(f"{{ {statement} }}\n" for statement in statements) + "}\n"
    done = subprocess.run(command, input=program, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    said = {}
    for line, words in re.findall(r"^<stdin>:(\d+):\d+: error: (.*)$", done.stdout, re.MULTILINE):
        said.setdefault(int(line) - HEAD.count("\n") - 1, words)
    return said if said or done.returncode == 0 else {-1: done.stdout}


class Misuse(unittest.TestCase):
    def refuses(self, statements, *words, standard="c++23"):
        """Checks that each statement is refused, with one of `words`."""
        said = errors(statements, standard)
        for number, statement in enumerate(statements):
            with self.subTest(statement):
                self.assertIn(number, said, "compiles")
                self.assertTrue(any(word in said[number] for word in words), said[number])

    def test_what_is_right_compiles(self):
        self.assertEqual(errors([
            'if (!table.put({{"a", 1}, {"b", "text"}, {"c", nullptr}, {"d", true}, {"e", 1.5_n}})) return;',
            'if (!table.get(key, {.projection = "a", .names = {{"#a", "a"}}, .consistent = true})) return;',
            'for (const auto& item : table.scan({.index = "i"})) if (!item) return;',
            "if (!db.list_tables({})) return;",
            "const Value small = std::int8_t{1}; if (small.is_null()) return;"]), {})

    def test_an_answer_must_be_looked_at(self):
        self.refuses(["db.put_item({});", "db.create_table({});", "db.scan({});", "table.put(key);",
                      'table.update(key, "REMOVE a");', "table.get(key);", "table.remove(key);",
                      'table.query("a = :a");', "table.scan();", 'tavola::open("x");', "pack(key);",
                      'Number::parse("1");', "StringSet::of({});"], "nodiscard")

    def test_get_takes_only_what_it_heeds(self):
        options = ['.index = "i"', '.filter = "a = :a"', ".page_limit = 1", ".forward = false"]
        self.refuses([f"if (table.get(key, {{{option}}})) return;" for option in options],
                     "cannot convert", "does not refer to any field")

    def test_characters_and_doubles_are_no_values(self):
        self.refuses([f"const Value value = {value}; if (value.is_null()) return;"
                      for value in ["'c'", "u8'c'", "L'c'", "u'c'", "1.5", "1.5f"]], "deleted")
        self.refuses(["const Number number = 'c'; if (number.is_zero()) return;"], "conver")

    def test_an_integer_of_more_digits_than_a_number_has_is_none(self):
        """With GNU's extensions, the default of a CMake project, __int128 is an integer like others."""
        self.refuses([f"const {kind} __int128 wide = 1; const Number number = wide; if (number.is_zero()) return;"
                      for kind in ("signed", "unsigned")], "conver", standard="gnu++23")


if __name__ == "__main__":
    unittest.main()
