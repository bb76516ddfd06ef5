#!/usr/bin/env python3
"""Shows that tests/rooms.py fails on a bad tree: one fault at a time, put into a small tree that is in order."""
import pathlib
import tempfile
import unittest

import rooms

ROOMS = """
| room | what lives there | sub-rooms | public headers | may use |
|---|---|---|---|---|
| `base/` | clocks | | `error.h` | |
| `value/` | values | | `value.h` | base |
| `store/` | data | `.` `rocks` | | base |
| `database/` | requests | | `requests.h` | value |
| `engine/` | both | `records` `write` `.` | | store, database |
"""

GOOD_TREE = {
    "src/README.md": ROOMS,
    "include/tavola/error.h": "#pragma once\n#include <string>\n",
    "include/tavola/value.h": "#pragma once\n#include <map>\n\n#include <tavola/error.h>\n",
    "include/tavola/requests.h": "#pragma once\n#include <tavola/value.h>\n",
    "src/base/CMakeLists.txt": "tavola_room(base)\n",
    "src/base/clock.h": "#pragma once\n#include <chrono>\n",
    "src/base/clock.cc": '#include "base/clock.h"\n#include <unistd.h>\n',
    "src/value/CMakeLists.txt": "tavola_room(value)\n",
    "src/value/codec.h": '#pragma once\n#include <tavola/value.h>\n#include "base/clock.h"\n',
    "src/value/codec_test.cc": '#include "value/codec.h"\n#include <gtest/gtest.h>\n',
    "src/store/CMakeLists.txt": "tavola_room(store LIBRARIES RocksDB::rocksdb-shared)\n",
    "src/store/store.h": "#pragma once\n#include <tavola/error.h>\n",
    "src/store/locks.cc": '#include "base/clock.h"\n',
    "src/store/rocks/rocks.cc": '#include <rocksdb/db.h>\n#include "store/store.h"\n',
    "src/engine/CMakeLists.txt": "tavola_room(engine)\n",
    "src/engine/write/write.cc": '#include <tavola/requests.h>\n#include "store/store.h"\n#include "value/codec.h"\n',
    "tests/model/model.h": "#pragma once\n#include <gtest/gtest.h>\n",
    "tests/model/model.cc": '#include "store/store.h"\n#include "tests/model/model.h"\n',
    "src/base/README.md": "`clock.*`\n",
    "src/value/README.md": "`codec.h`, `a`, `b`, `c`, `cases`, `f*`, `g`, `long`, `utils`\n",
    "src/store/README.md": "`store`, `locks`, `rocks/*`\n",
    "src/engine/README.md": "`write`, `keys`, `old`\n",
    "examples/embedded.cc": "#include <cstdio>\n#include <tavola/value.h>\n",
}


def body(lines, head="int f() {", tail="}"):
    """A function of that many lines."""
    return "\n".join([head, *["  g();"] * (lines - 2), tail]) + "\n"


class Rooms(unittest.TestCase):
    def problems(self, **changes):
        """What rooms.py says about the good tree with these files (path=text) changed."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**GOOD_TREE, **changes}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return rooms.check(root, left=())

    def assert_refused(self, path, text, *words, at=None):
        problems = self.problems(**{path: text})
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(at or path), problems[0])
        for word in words:
            self.assertIn(word, problems[0])

    def assert_accepted(self, path, text):
        self.assertEqual(self.problems(**{path: text}), [])

    def test_a_good_tree_is_in_order(self):
        self.assertEqual(self.problems(), [])

    def test_the_real_table(self):
        table = rooms.Rooms((pathlib.Path(__file__).resolve().parent.parent / "src/README.md").read_text())
        self.assertEqual(table.may_use("cli"), set(table.uses))
        self.assertEqual(table.may_use("store"), {"base", "store"})
        self.assertEqual(table.public_headers["database.h"], "database")

    def test_a_room_that_may_use_one_below_it_in_the_table(self):
        table = ROOMS.replace("| values | | `value.h` | base |", "| values | | `value.h` | base, store |")
        problems = self.problems(**{"src/README.md": table})
        self.assertIn("src/README.md: value may use store, which is not above it in the table", problems)

    def test_a_permission_that_nobody_needs(self):
        changes = {"src/engine/write/write.cc": '#include "store/store.h"\n#include "value/codec.h"\n'}
        self.assertEqual(self.problems(**changes), ["src/README.md: engine may use database, and no file of it does"])

    def test_a_permission_that_only_a_test_needs(self):
        changes = {"src/engine/write/write.cc": '#include "store/store.h"\n#include "value/codec.h"\n',
                   "src/engine/write/write_test.cc": "#include <tavola/requests.h>\n"}
        self.assertEqual(self.problems(**changes), ["src/README.md: engine may use database, and no file of it does"])

    def test_a_test_may_include_every_room_above_its_own(self):
        self.assert_accepted("src/store/locks_test.cc", '#include "value/codec.h"\n')
        self.assert_refused("src/store/locks_test.cc", "#include <tavola/requests.h>\n", "store may not use database")

    def test_a_component_that_no_readme_names(self):
        self.assert_refused("src/value/number.cc", "", "does not name number", at="src/value/README.md")
        self.assert_refused("src/engine/records/rows.h", "", "does not name records/rows", at="src/engine/README.md")
        self.assert_accepted("src/value/number_test.cc", "")
        self.assert_accepted("src/value/test_numbers.h", "")

    def test_the_ways_to_name_a_component(self):
        for name, is_accepted in [("rows", True), ("rows.h", True), ("rows.*", True), ("records/rows", True), ("r*", True),
                                  ("records/*", True), ("*", False), ("records/", False), ("row", False)]:
            with self.subTest(name):
                files = {"src/engine/records/rows.h": "", "src/engine/records/README.md": f"`{name}`\n"}
                self.assertEqual(self.problems(**files) == [], is_accepted)

    def test_an_include_that_points_up_the_sub_rooms(self):
        changes = {"src/engine/write/write.h": "", "src/engine/records/keys.cc": '#include "engine/write/write.h"\n'}
        self.assertEqual(self.problems(**changes), [
            'src/engine/records/keys.cc:1: "engine/write/write.h": write stands above records in the order of engine\'s '
            'sub-rooms'])

    def test_a_sub_room_that_the_table_does_not_list(self):
        self.assert_refused("src/engine/attic/old.cc", "int x;\n", "does not list this sub-room", at="src/engine/attic")

    def test_components_that_include_each_other(self):
        changes = {"src/value/a.h": "", "src/value/b.h": "", "src/value/a.cc": '#include "value/b.h"\n',
                   "src/value/b.cc": '#include "value/a.h"\n'}
        self.assertEqual(self.problems(**changes), [], "one .cc file without its includes opens the circle")
        changes |= {"src/value/c.h": "", "src/value/c.cc": '#include "value/b.h"\n', "src/value/b.cc":
                    '#include "value/a.h"\n#include "value/c.h"\n', "src/value/a.cc": '#include "value/c.h"\n#include "value/b.h"\n',
                    "src/value/c.h": '#include "value/a.h"\n'}
        self.assertEqual(self.problems(**changes), ["src/value: a circle of includes: a, b, c"])

    def test_a_drawing_that_is_out_of_date(self):
        drawing = "\n## Includes\n```text\n" + "".join(f"{room:9} → {used}\n" for room, used in (
            ("value", "base"), ("store", "base"), ("database", "value"), ("engine", "value store database"))) + "```\n"
        self.assertEqual(self.problems(**{"src/README.md": ROOMS + drawing}), [])
        self.assertIn("src/README.md: the includes are not those of the tree",
                      self.problems(**{"src/README.md": ROOMS + drawing.replace("→ value", "→ base", 1)})[0])

    def test_a_folder_with_many_files(self):
        files = {f"src/value/f{i}.cc": "int x;\n" for i in range(41)}
        self.assertEqual(self.problems(**files), [])
        self.assertEqual(self.problems(**files, **{"src/value/g.cc": "int x;\n"}), ["src/value: 46 files; at most 45"])

    def test_applications_and_pages_have_the_same_limits(self):
        self.assertEqual(self.problems(**{"console/view.tsx": "x;\n" * 800, "systems/shop/sale.cc": body(69)}), [])
        self.assertEqual(self.problems(**{"console/view.tsx": "x;\n" * 801}), ["console/view.tsx: 801 lines; at most 800"])
        self.assertEqual(self.problems(**{"systems/shop/sale.cc": body(70)}), ["systems/shop/sale.cc:1: f has 70 lines; at most 69"])
        view = {"console/view.tsx": "\nexport async " + body(70, "function View() {")}
        self.assertEqual(self.problems(**view), ["console/view.tsx:2: View has 70 lines; at most 69"])

    def test_a_long_class(self):
        lines = "  int x;\n" * 248
        self.assert_accepted("src/value/c.cc", f"namespace a {{\nclass C final : public D {{\n{lines}}};\n}}\n")
        self.assert_refused("src/value/c.cc", f"namespace a {{\nclass C final : public D {{\n{lines}  int y;\n}};\n}}\n",
                            "C has 251 lines; at most 250")

    def test_a_long_class_whose_members_are_elsewhere(self):
        head = "class C {\n  int f();\n};\n"
        longest = {"src/value/c.h": head, "src/value/c.cc": "".join(body(60, f"int C::f{i}() {{") for i in range(6)),
                   "src/value/codec.cc": '#include "value/codec.h"\n' + "".join(body(60, f"int C::g{i}() {{") for i in range(7)) +
                   body(17, "C::C() {")}
        self.assertEqual(self.problems(**longest), [])
        self.assertEqual(self.problems(**longest, **{"src/value/g.cc": "int C::f() { return 1; }\n"}),
                         ["src/value/c.h: class C in line 1 has 801 lines with its members; at most 800"])
        self.assertEqual(self.problems(**longest, **{"src/store/locks.cc": "int C::f() { return 1; }\n"}), [], "another room")
        self.assertEqual(self.problems(**longest, **{"src/value/g.cc": head + body(9, "int C::f() {")}), [], "another class")

    def test_a_header_for_tests_alone_has_another_name(self):
        changes = {"src/value/cases.h": "", "src/value/codec_test.cc": '#include "value/codec.h"\n#include "value/cases.h"\n'}
        self.assertEqual(self.problems(**changes), ["src/value/cases.h: only tests include it; call it test_cases.h"])

    def test_what_is_left_is_passed_over_until_it_is_mended(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**GOOD_TREE, "src/value/utils.cc": ""}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(rooms.check(root, left=("src/value/utils.cc",)), [])
            (root / "src/value/utils.cc").unlink()
            self.assertEqual(rooms.check(root, left=("src/value/utils.cc",)),
                             ["tests/rooms.py: \"src/value/utils.cc\" is no longer needed in LEFT"])

    def test_an_include_that_points_up(self):
        self.assert_refused("src/base/clock.cc", '#include "value/codec.h"\n', ":1:", "base may not use value")

    def test_an_include_that_points_sideways(self):
        self.assert_refused("src/store/rocks/rocks.cc", '\n#include "value/codec.h"\n', ":2:", "store may not use value")

    def test_a_unit_test_that_points_up(self):
        self.assert_refused("src/value/codec_test.cc", '#include "store/store.h"\n', "value may not use store")

    def test_a_public_header_of_a_higher_room(self):
        self.assert_refused("src/store/store.h", "#include <tavola/value.h>\n", "store may not use value")
        self.assert_refused("include/tavola/value.h", "#include <tavola/requests.h>\n", "value may not use database")

    def test_a_public_header_that_shows_the_inside(self):
        self.assert_refused("include/tavola/value.h", '#include "value/codec.h"\n', "only std and <tavola/...>")

    def test_a_public_header_with_a_third_party(self):
        self.assert_refused("include/tavola/value.h", "#include <rocksdb/db.h>\n", "only std and <tavola/...>")

    def test_a_public_header_of_no_room(self):
        self.assert_refused("include/tavola/extra.h", "#include <string>\n", "belongs to no room")

    def test_a_third_party_in_a_header(self):
        self.assert_refused("src/store/store.h", "#include <rocksdb/db.h>\n", "belong into .cc files")
        self.assert_refused("src/base/clock.h", "#include <unistd.h>\n", "belong into .cc files")

    def test_a_header_of_tests_in_code(self):
        changes = {"src/value/test_codec.h": "#include <gtest/gtest.h>\n",
                   "src/value/codec.cc": '#include "value/test_codec.h"\n'}
        self.assertEqual(len(self.problems(**changes)), 1)
        changes["src/value/codec.cc"] = ""
        self.assertEqual(self.problems(**changes), [])

    def test_an_example_that_looks_inside(self):
        self.assert_refused("examples/embedded.cc", '#include "store/store.h"\n', "only std and <tavola/...>")
        self.assert_refused("examples/embedded.cc", "#include <rocksdb/db.h>\n", "only std and <tavola/...>")

    def test_an_include_that_does_not_say_its_room(self):
        self.assert_refused("src/value/codec_test.cc", '#include "codec.h"\n', "no such header")

    def test_an_include_in_a_comment_does_not_count(self):
        self.assert_accepted("src/base/clock.cc", '// #include "value/codec.h"\n/*\n#include "store/store.h"\n*/\n')

    def test_a_folder_that_is_no_room(self):
        self.assertEqual(len(self.problems(**{"src/attic/CMakeLists.txt": "tavola_room(attic)\n"})), 1)

    def test_a_room_that_is_not_built(self):
        self.assert_refused("src/value/CMakeLists.txt", "add_library(value)\n", "does not declare tavola_room(value")

    def test_a_long_file(self):
        self.assert_accepted("src/value/long.cc", "int x;\n" * 800)
        self.assert_refused("src/value/long.cc", "int x;\n" * 801, "801 lines")

    def test_a_vague_name(self):
        self.assert_refused("src/value/utils.cc", "", "does not say what is in it")

    def test_a_long_function(self):
        self.assert_accepted("src/value/f.cc", body(69))
        self.assert_refused("src/value/f.cc", "\n" + body(70), ":2:", "f has 70 lines")

    def test_long_functions_of_every_kind(self):
        for head, tail, name in [
            ("namespace a { struct S { int f() const {", "}}; }", "f"),
            ("namespace a::b { template <class T> struct S { void f(T t = T{}) {", "}}; }", "f"),
            ("S::S() : a_{1}, b_(2), c_{{3}} {", "}", "S::S"),
            ("auto f(int x) -> std::map<int, int> {", "}", "f"),
            ("bool operator==(const S& a, const S& b) {", "}", "operator=="),
            ("TEST(Suite, Name) {", "}", "TEST(Suite, Name)"),
            ("struct S f() {", "}", "f"),
            ("enum class E { a, b }; int g() { return '{' + sizeof(\"{{{\"); } int f() {", "}", "f"),
        ]:
            with self.subTest(head):
                self.assert_refused("src/value/f.cc", body(70, head, tail), f"{name} has 70 lines")

    def test_what_is_no_function(self):
        for head, tail in [("const std::array kTable = make({", "});"), ("class S {", "};"),
                           ("namespace a {", "}"), ("constexpr int kTable[] = {", "};")]:
            with self.subTest(head):
                self.assert_accepted("src/value/f.cc", body(100, head, tail).replace("g();", "1,"))


if __name__ == "__main__":
    unittest.main()
