#!/usr/bin/env python3
"""`tavola design test`: which files it runs, its exit codes and reports, and cases at a server.

    tests/designs/cases_command_test.py PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/clients")]

import boto3  # noqa: E402

import harness  # noqa: E402
from server import Server  # noqa: E402

DESIGN = """design: 1
name: notes
table: { name: notes, hash: PK, range: SK }
entities:
  Note:
    key: { PK: NOTE#<note>, SK: NOTE }
    ids: { note: string }
    attributes:
      text: { type: string, required: true }
      createdAt: { type: timestamp, auto: create }
patterns:
  getNote: { get: Note }
operations:
  addNote: { steps: [ { put: Note, as: added, exists: false, otherwise: NOTE_EXISTS } ], returns: added }
"""
CASES = """design: notes.yaml
now: "2026-01-15T10:00:00Z"
cases:
  - name: a note has its time
    covers: [N1]
    when: { addNote: { note: n1, text: hello } }
    then: { text: hello, createdAt: "2026-01-15T10:00:00Z" }
  - name: a note is added once
    covers: [N2]
    given:
      - addNote: { note: n1, text: hello }
    when: { addNote: { note: n1, text: again } }
    refused: NOTE_EXISTS
  - name: anna reads it
    as: { sub: anna }
    given:
      - addNote: { note: n1, text: hello }
    when: { getNote: { note: n1 } }
    then: { text: hello }
"""


class CasesCommand(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.save("notes.yaml", DESIGN)
        self.save("notes.cases.yaml", CASES)

    def save(self, name, text):
        file = self.folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)

    def run_tests(self, *words):
        return subprocess.run([harness.PROGRAM, "design", "test", *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False)

    def assert_passes(self, done, count):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"\n{count} passed in ", done.stdout)

    # ---- Files ----

    def test_the_cases_of_the_four_systems_pass(self):
        done = self.run_tests(ROOT / "designs")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("in 5 files", done.stdout)

    def test_files_designs_and_folders_are_run_once(self):
        self.save("designs/more.yaml", DESIGN)
        self.save("designs/more.cases.yaml", CASES.replace("notes.yaml", "more.yaml"))
        self.assert_passes(self.run_tests(), 6)
        self.assert_passes(self.run_tests("notes.cases.yaml"), 3)
        self.assert_passes(self.run_tests("notes.yaml", "notes.cases.yaml"), 3)
        self.assert_passes(self.run_tests("designs"), 3)

    def test_wrong_files_end_with_2_and_say_where(self):
        self.save("empty/x", "")
        self.save("bad.cases.yaml", CASES.replace("addNote: { note: n1, text: again }", "adNote: {}"))
        self.save("lost.cases.yaml", CASES.replace("notes.yaml", "lost.yaml"))
        self.save("broken/notes.yaml", DESIGN.replace("hash: PK", "hush: PK"))
        self.save("broken/notes.cases.yaml", CASES)
        for words, said in (
                (["nowhere.cases.yaml"], "cannot read nowhere.cases.yaml"),
                (["empty"], "the folder empty has no *.cases.yaml"),
                (["bad.cases.yaml"], "bad.cases.yaml:12:13: error: `notes` has no pattern or operation `adNote`"),
                (["bad.cases.yaml"], "Did you mean `addNote`?"),
                (["lost.cases.yaml"], "cannot read lost.yaml"),
                (["broken"], "broken/notes.yaml:3:23: error: unknown key `hush`"),
                (["notes.yaml", "--filter", "nothing like it"], "no case has nothing like it"),
                (["notes.yaml", "--junit", "no/such/folder.xml"], "cannot write no/such/folder.xml"),
                (["notes.yaml", "--endpoint", "http://127.0.0.1:1"], "127.0.0.1")):
            with self.subTest(words):
                done = self.run_tests(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(said, done.stderr)
                self.assertEqual(done.stdout, "")

    # ---- Reports ----

    def test_a_failure_is_shown_with_its_place(self):
        self.save("notes.cases.yaml", CASES.replace("then: { text: hello, c", "then: { text: bye, c"))
        done = self.run_tests()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"^notes\.cases\.yaml: 2 passed, 1 failed \(\d+\.\d+ s\)\n")
        self.assertIn("\nnotes.cases.yaml:6: failed: a note has its time\n  when addNote "
                      '{"note":"n1","text":"hello"}\n    - text: "bye"\n    + text: "hello"\n', done.stdout)

    def test_json_and_junit_have_every_case(self):
        self.save("notes.cases.yaml", CASES.replace("refused: NOTE_EXISTS", "refused: <NONE>"))
        done = self.run_tests("--format", "json", "--junit", "results.xml")
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["passed"], report["failed"], report["skipped"]), (2, 1, 0))
        cases = report["files"][0]["cases"]
        self.assertEqual([(case["line"], case["passed"]) for case in cases], [(4, True), (8, False), (14, True)])
        self.assertEqual(cases[1]["failure"]["differences"][0]["expected"], "refused: <NONE>")
        suites = xml.etree.ElementTree.parse(self.folder / "results.xml").getroot()
        self.assertEqual((suites.tag, suites.get("tests"), suites.get("failures")), ("testsuites", "3", "1"))
        self.assertEqual([case.get("name") for case in suites.iter("testcase")],
                         ["a note has its time", "a note is added once", "anna reads it"])
        failure, = suites.iter("failure")
        self.assertIn("- refused: <NONE>\n+ refused: NOTE_EXISTS", failure.text)

    def test_the_filter_chooses_by_name_and_requirement(self):
        self.assert_passes(self.run_tests("--filter", "note"), 2)
        self.assert_passes(self.run_tests("--filter", "N2"), 1)

    # ---- At a server ----

    def test_cases_run_at_a_server(self):
        with Server(harness.PROGRAM, "--in-memory", "--test-clock") as server:
            client = boto3.client("dynamodb", endpoint_url=server.url)
            done = self.run_tests("--endpoint", server.url)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("2 passed, 1 skipped", done.stdout)
            self.assertEqual(client.list_tables()["TableNames"], [])
            done = self.run_tests(ROOT / "designs", "--endpoint", server.url)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_table_that_exists_is_not_touched(self):
        with Server(harness.PROGRAM, "--in-memory", "--design", self.folder / "notes.yaml") as server:
            client = boto3.client("dynamodb", endpoint_url=server.url)
            client.put_item(TableName="notes", Item={"PK": {"S": "NOTE#n1"}, "SK": {"S": "NOTE"}, "text": {"S": "kept"}})
            done = self.run_tests("--endpoint", server.url)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(f"the table notes exists at {server.url}", done.stderr)
            self.assertEqual(client.scan(TableName="notes")["Count"], 1)

    def test_failed_cases_leave_no_table(self):
        self.save("notes.cases.yaml", CASES.replace("refused: NOTE_EXISTS", "refused: OTHER"))
        with Server(harness.PROGRAM, "--in-memory") as server:
            done = self.run_tests("--endpoint", server.url)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertEqual(boto3.client("dynamodb", endpoint_url=server.url).list_tables()["TableNames"], [])


if __name__ == "__main__":
    harness.main()
