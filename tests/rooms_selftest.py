#!/usr/bin/env python3
"""Shows that tests/rooms.py fails on a bad tree: one fault at a time, put into a small tree that is in order."""
import pathlib
import tempfile
import unittest

import rooms

GOOD_TREE = {
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
    "src/store/rocks.cc": '#include <rocksdb/db.h>\n#include "store/store.h"\n',
    "src/engine/CMakeLists.txt": "tavola_room(engine)\n",
    "src/engine/write.cc": '#include <tavola/requests.h>\n#include "store/store.h"\n#include "value/codec.h"\n',
    "tests/model/model.h": "#pragma once\n#include <gtest/gtest.h>\n",
    "tests/model/model.cc": '#include "store/store.h"\n#include "tests/model/model.h"\n',
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
            return rooms.check(root)

    def assert_refused(self, path, text, *words):
        problems = self.problems(**{path: text})
        self.assertEqual(len(problems), 1, problems)
        self.assertTrue(problems[0].startswith(path), problems[0])
        for word in words:
            self.assertIn(word, problems[0])

    def assert_accepted(self, path, text):
        self.assertEqual(self.problems(**{path: text}), [])

    def test_a_good_tree_is_in_order(self):
        self.assertEqual(self.problems(), [])

    def test_the_real_table_has_every_room_below_its_users(self):
        names = list(rooms.ROOMS)
        for room, below in rooms.ROOMS.items():
            for other in below:
                self.assertLess(names.index(other), names.index(room))
        self.assertEqual(rooms.may_use("cli"), set(names))
        self.assertEqual(rooms.may_use("store"), {"base", "store"})

    def test_an_include_that_points_up(self):
        self.assert_refused("src/base/clock.cc", '#include "value/codec.h"\n', ":1:", "base may not use value")

    def test_an_include_that_points_sideways(self):
        self.assert_refused("src/store/rocks.cc", '\n#include "value/codec.h"\n', ":2:", "store may not use value")

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
        changes = {"src/value/codec_test.h": "#include <gtest/gtest.h>\n",
                   "src/value/codec.cc": '#include "value/codec_test.h"\n'}
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
