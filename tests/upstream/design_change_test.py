#!/usr/bin/env python3
"""The design of a table changes while two servers in front of it work (`tavola design apply --endpoint FRONT`): both enforce and serve the
new one, items are repaired, and no write by the old design comes after the first one by the new design.

    tests/upstream/design_change_test.py PROGRAM [TEST ...]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "clients"), str(HERE)]

import botocore.exceptions  # noqa: E402
from cluster_test import ENVIRONMENT, resource  # noqa: E402
from server import Server  # noqa: E402

PROGRAM = None
DESIGN = """design: 1
name: notes
revision: "1"
table: { name: notes, hash: PK, range: SK }
indexes:
  byTopic: { hash: topicKey, range: SK, project: all }
entities:
  Note:
    key: { PK: NOTE#<note>, SK: META }
    ids: { note: string }
    index: { byTopic: { hash: TOPIC#<topic>, range: META } }
    attributes: { topic: { type: string, required: true } }
patterns:
  note: { get: Note }
"""


class DesignChange(unittest.TestCase):
    def test_all_servers_follow(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        design = folder / "notes.yaml"
        design.write_text(DESIGN)
        upstream = self.enterContext(Server(PROGRAM, "--in-memory"))
        first, second = (self.enterContext(Server(PROGRAM, "--upstream", upstream.url, "--design", design, environment=ENVIRONMENT))
                         for _ in range(2))
        table = resource(second.url).Table("notes")
        table.put_item(Item={"PK": "NOTE#old", "SK": "META", "topic": "a"})
        written, over = [], threading.Event()

        def write():
            for number in range(100_000):
                if over.is_set():
                    return
                try:
                    table.put_item(Item={"PK": f"NOTE#{number}", "SK": "META", "topic": "a"})
                    written.append(f"NOTE#{number}")
                except botocore.exceptions.ClientError as error:
                    self.assertEqual(error.response["Error"]["Code"], "ThrottlingException")
                time.sleep(0.01)  # the change takes its time, not the writes
        writer = threading.Thread(target=write)
        writer.start()
        changed = folder / "changed.yaml"
        changed.write_text(DESIGN.replace('"1"', '"2"').replace("TOPIC#<topic>", "THEME#<topic>"))
        done = subprocess.run([PROGRAM, "design", "apply", changed, "--endpoint", first.url, "--yes"], capture_output=True, text=True,
                              check=False, env=ENVIRONMENT)
        over.set()
        writer.join()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for server in (first, second):
            one = resource(server.url).Table("notes")
            one.put_item(Item={"PK": "NOTE#new", "SK": "META", "topic": "b"})
            self.assertEqual(one.get_item(Key={"PK": "NOTE#new", "SK": "META"})["Item"]["topicKey"], "THEME#b")
        items = resource(upstream.url).Table("notes").scan()["Items"]
        keys = {item["topicKey"].partition("#")[0] for item in items if item["PK"].startswith("NOTE#")}
        self.assertEqual(keys, {"THEME"})
        self.assertGreater(len(written), 10)
        self.wait_until_served(second)

    def wait_until_served(self, server):
        deadline = time.monotonic() + 30
        while "another design, which is served" not in server.log_text() and time.monotonic() < deadline:
            time.sleep(0.1)
        with urllib.request.urlopen(server.url + "/v1/notes/note?note=new") as answer:
            self.assertEqual(json.load(answer)["topic"], "b")


if __name__ == "__main__":
    PROGRAM = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
