#!/usr/bin/env python3
"""`tavola repair`: a damaged data directory is never changed, and its readable part is served from the new one.

    tests/repair_test.py PROGRAM
"""
import base64
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "clients"))

import harness  # noqa: E402
from server import Server  # noqa: E402

ITEMS = 600       # in two data files
LARGE_BYTES = 100_000
ITEM_BYTES = 4000  # half of them are more than stays in the log when a server stops


def create_table(server):
    harness.call(server, "CreateTable", TableName="things", BillingMode="PAY_PER_REQUEST",
         AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "group")],
         KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
         GlobalSecondaryIndexes=[{"IndexName": "groups", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                  "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}]}])


def bytes_of(number):
    return LARGE_BYTES if number == 0 else ITEM_BYTES + number  # blocks of all sizes


def fill(server, numbers):
    randomness = random.Random(numbers.start)
    written = {}
    for first in numbers[::25]:
        items = [{"pk": {"S": f"item{i}"}, "group": {"S": f"g{i % 5}"},
                  "body": {"S": base64.b64encode(randomness.randbytes(bytes_of(i) * 3 // 4)).decode()}}
                 for i in range(first, first + 25)]
        harness.call(server, "BatchWriteItem", RequestItems={"things": [{"PutRequest": {"Item": item}} for item in items]})
        written.update((item["pk"]["S"], item) for item in items)
    return written


def everything(server, **where):
    found, start = [], {}
    while True:
        page = harness.call(server, "Scan", TableName="things", **where, **start)
        found += page["Items"]
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def files_of(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def flip(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0x40
    path.write_bytes(data)


def varints(data):
    number = shift = 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def parts_behind_data(path):
    """Returns (name, first byte, bytes) of the blocks after the data blocks of a data file."""
    data = path.read_bytes()
    footer = len(data) - 53  # [checksum] [metaindex: offset, bytes] [index: offset, bytes], padded, [version] [magic]
    meta, meta_bytes, index, index_bytes, *_ = varints(data[footer + 1:])
    return [("filter", index - 200, 200), ("index", index, index_bytes),
            ("properties", index + index_bytes + 5, meta - index - index_bytes - 5), ("metaindex", meta, meta_bytes),
            ("footer's places", footer, 6), ("footer's version", len(data) - 12, 4), ("footer's magic", len(data) - 8, 8)]


def run_repair(source, target, environment=None):
    return subprocess.run([harness.PROGRAM, "repair", source, "--to", target], capture_output=True, text=True, timeout=60,
                          check=False, env=environment)


class Repair(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name) / "it' is (old); data"  # what messages say, too
        cls.folder.mkdir()
        cls.library = pathlib.Path(folder.name) / "faulty_read.so"
        cls.synced = pathlib.Path(folder.name) / "synced"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", cls.library, pathlib.Path(__file__).resolve().parent / "faulty_read.c",
                        "-ldl"], check=True)
        cls.whole = cls.folder / "whole"
        with Server(harness.PROGRAM, "--data", cls.whole) as server:
            create_table(server)
            cls.written = fill(server, range(ITEMS // 2))
        with Server(harness.PROGRAM, "--data", cls.whole) as server:
            cls.written |= fill(server, range(ITEMS // 2, ITEMS))
        assert len(list(cls.whole.glob("*.sst"))) == 2

    def repair(self, damage):
        """Returns the report on a copy that `damage` was applied to, the exit code, and the items of the new directory.

        `damage` may return positions (file, offset) where 4096 bytes cannot be read.
        """
        name = self.id().rpartition(".")[2]
        damaged, new = self.folder / f"{name}-damaged", self.folder / f"{name}-new"
        shutil.copytree(self.whole, damaged)
        unreadable = damage(damaged) or []
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "SYNCED_LIST": str(self.synced),
                       "FAULTY_READ": ",".join(f"{path.stat().st_ino}:{at}" for path, at in unreadable)}
        before = files_of(damaged)
        done = run_repair(damaged, new, environment if unreadable else None)
        self.assertEqual(files_of(damaged), before, "the damaged directory was changed")
        self.assertEqual(sorted(path.name for path in self.folder.glob(f"{name}-*")), [damaged.name, new.name], done)
        for path in new.rglob("*"):
            self.assertEqual(path.stat().st_mode & 0o077, 0, path)
        with Server(harness.PROGRAM, "--data", new) as server:
            items = {item["pk"]["S"]: item for item in everything(server)}
            index = {entry["pk"]["S"] for entry in everything(server, IndexName="groups")}
            table = harness.call(server, "DescribeTable", TableName="things")["Table"]
        for key, item in items.items():
            self.assertEqual(item, self.written[key])
        self.assertEqual(index, set(items), "the index is made anew")
        self.assertEqual(table["ItemCount"], len(items))
        return done.stdout, done.returncode, items

    def test_nothing_is_wrong(self):
        said, code, items = self.repair(lambda _: None)
        self.assertEqual((code, len(items)), (0, ITEMS), said)
        self.assertIn(f"table things: {ITEMS} items\nNothing is missing", said)

    def test_damaged_blocks(self):
        def damage(data):
            largest = max(data.glob("*.sst"), key=lambda path: path.stat().st_size)
            for part in range(1, 8):
                flip(largest, largest.stat().st_size * part // 9)
        said, code, items = self.repair(damage)
        self.assertEqual(code, 3, said)
        self.assertRegex(said, r"\d+\.sst: 7 blocks of it are damaged \(\d+ KB\)\ntable things: \d+ items of 600 by its recorded count")
        self.assertLess(len(items), ITEMS)
        self.assertGreaterEqual(len(items), ITEMS - 7 * 3)

    def test_damage_behind_the_data(self):
        path = max(self.whole.glob("*.sst"), key=lambda path: path.stat().st_size)
        flips = [(part, first + size * step // 3) for part, first, size in parts_behind_data(path) for step in range(3)]
        for part, at in flips:
            with self.subTest(part=part, at=at):
                damaged, new = self.fresh_copy("behind")
                flip(damaged / path.name, at)
                self.assert_says(f"{path.name}: it is damaged, but all its data could be read\n"
                                 f"table things: {ITEMS} items\n", damaged, new)

    def test_a_damaged_index_and_a_damaged_block(self):
        def damage(data):
            largest = max(data.glob("*.sst"), key=lambda path: path.stat().st_size)
            flip(largest, parts_behind_data(largest)[1][1])
            flip(largest, largest.stat().st_size // 3)
        said, code, items = self.repair(damage)
        self.assertEqual(code, 3, said)
        self.assertRegex(said, r"\d+\.sst: 1 block of it is damaged \(\d+ KB\)\ntable things: \d+ items of 600 by its recorded count")
        self.assertIn(ITEMS - len(items), range(1, 4))

    def test_a_data_file_that_was_cut_off(self):
        def damage(data):
            largest = max(data.glob("*.sst"), key=lambda path: path.stat().st_size)
            os.truncate(largest, largest.stat().st_size // 2)
        said, code, items = self.repair(damage)
        self.assertEqual(code, 3, said)
        self.assertRegex(said, r"\d+\.sst: its index is damaged; \d+ blocks of it could be read, and more may be missing")
        self.assertGreater(len(items), ITEMS // 2)

    def test_an_empty_table(self):
        data, new = self.folder / "empty", self.folder / "empty-new"
        with Server(harness.PROGRAM, "--data", data) as server:
            create_table(server)
        self.assert_says("table things: 0 items\n", data, new)

    def test_a_damaged_format_file(self):
        for text, problem in (("tavola stgre 1\n", "it is damaged (it does not name a format version)"),
                              ("tavole store 1\n", "it is damaged (it does not name a format version)"),
                              ("tavola store 1", "it is damaged (it does not name a format version)"),
                              ("", "it is damaged (it does not name a format version)"),
                              (None, "it is missing")):
            with self.subTest(text=text):
                data, new = self.fresh_copy("format")
                (data / "FORMAT").unlink()
                if text is not None:
                    (data / "FORMAT").write_text(text)
                self.assert_says(f"FORMAT: {problem}\ntable things: {ITEMS} items\n", data, new)
                self.assertEqual((new / "FORMAT").read_text(), "tavola store 1\n")

    def test_the_format_of_a_newer_tavola(self):
        shutil.copytree(self.whole, self.folder / "newer")
        (self.folder / "newer" / "FORMAT").write_text("tavola store 2\n")
        self.assert_fails("was written by a newer Tavola", self.folder / "newer", self.folder / "never")

    def test_what_an_interrupted_repair_left_is_removed(self):
        def damage(data):
            new = data.parent / data.name.replace("-damaged", "-new")
            for name in (f"{new.name}.tavola-checkpoint", f"{new.name}.tavola-checkpoint-work"):
                shutil.copytree(self.whole, self.folder / name)
                (self.folder / name / "CURRENT").write_text("MANIFEST-000099\n")
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (0, ITEMS), said)

    def test_a_damaged_large_block(self):
        body = self.written["item0"]["body"]["S"].encode()
        def damage(data):
            for path in data.glob("*.sst"):
                at = path.read_bytes().find(body[50_000:50_100])
                if at >= 0:
                    flip(path, at)
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS - 1), said)
        self.assertNotIn("item0", items)

    def test_a_broken_record_of_a_log_costs_no_other(self):
        late = [{"pk": {"S": f"late{i}"}, "group": {"S": "g"}, "body": {"S": f"body of {i} " * 20}} for i in range(100)]
        self.written.update((item["pk"]["S"], item) for item in late)

        def damage(data):
            server = Server(harness.PROGRAM, "--data", data)
            server.start()
            for item in late:
                harness.call(server, "PutItem", TableName="things", Item=item)
            server.kill()
            for log in data.glob("*.log"):
                at = log.read_bytes().find(late[20]["body"]["S"].encode())
                if at >= 0:
                    flip(log, at)
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS + 99), said)
        self.assertNotIn("late20", items)

    def test_unreadable_sectors(self):
        late = [{"pk": {"S": f"late{i}"}, "group": {"S": "g"}, "body": {"S": str(i) * LARGE_BYTES}} for i in range(3)]
        self.written.update((item["pk"]["S"], item) for item in late)
        def damage(data):
            server = Server(harness.PROGRAM, "--data", data)
            server.start()
            for item in late:
                harness.call(server, "PutItem", TableName="things", Item=item)
            server.kill()
            largest = max(data.glob("*.sst"), key=lambda path: path.stat().st_size)
            log = max(data.glob("*.log"))
            return [(largest, largest.stat().st_size // 3 // 4096 * 4096),
                    (log, (log.read_bytes().find(b"1" * 1000) + LARGE_BYTES // 2) // 4096 * 4096)]
        said, code, items = self.repair(damage)
        self.assertEqual(code, 3, said)
        self.assertRegex(said, r"\d+\.sst: \d blocks? of it (is|are) damaged \(\d+ KB\); 4 KB of it cannot be read \(Input/output")
        self.assertRegex(said, r"\d+\.log: 4 KB of it cannot be read \(Input/output error\)\n")
        self.assertNotIn("may be back", said)
        self.assertGreaterEqual(len(items), ITEMS - 4)
        self.assertEqual([name for name in ("late0", "late1", "late2") if name in items], ["late0", "late2"])

    def test_neighbours(self):
        def damage(data):
            (data / "backups" / "b").mkdir(parents=True, mode=0o700)
            (data / "backups").chmod(0o700)
            for name in ("bad", "good"):
                (data / "backups" / "b" / name).write_bytes(b"x" * 10_000)
                (data / "backups" / "b" / name).chmod(0o600)
            os.mkfifo(data / "backups" / "pipe")
            return [(data / "backups" / "b" / "bad", 4096)]
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS), said)
        self.assertIn("backups/b/bad: it was not copied (Input/output error)\n", said)
        self.assertIn("backups/pipe: it was not copied (it is neither a file nor a directory)\n", said)
        new = self.folder / "test_neighbours-new"
        self.assertEqual(files_of(new / "backups"), {pathlib.Path("b/good"): b"x" * 10_000})
        synced = self.synced.read_text()
        for name in ("", "/backups", "/backups/b", "/backups/b/good"):
            self.assertIn(f"{new}.tavola-checkpoint{name}\n", synced)

    def test_a_missing_file(self):
        said, code, items = self.repair(lambda data: max(data.glob("*.sst")).unlink())
        self.assertEqual((code, len(items)), (3, ITEMS // 2), said)
        self.assertRegex(said, r"\d+\.sst: it is missing \(\d+ KB\)")

    def test_a_missing_log(self):
        def damage(data):
            server = Server(harness.PROGRAM, "--data", data)
            server.start()
            harness.call(server, "PutItem", TableName="things", Item={"pk": {"S": "late"}})
            server.kill()
            max(data.glob("*.log")).unlink()
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS), said)
        self.assertRegex(said, r"\d+\.log: it is missing \(\d+ bytes of it were acknowledged\)\n")

    def test_a_damaged_manifest(self):
        def damage(data):
            manifest = next(data.glob("MANIFEST-*"))
            flip(manifest, manifest.stat().st_size // 2)
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS), said)
        self.assertRegex(said, r"MANIFEST-\d+: it is damaged \(.*\); items that were deleted may be back")

    def test_no_current_and_no_manifest(self):
        def damage(data):
            (data / "CURRENT").unlink()
            next(data.glob("MANIFEST-*")).unlink()
        said, code, items = self.repair(damage)
        self.assertEqual((code, len(items)), (3, ITEMS), said)
        self.assertIn("CURRENT: ", said)

    def test_what_is_in_use_or_there_is_left_alone(self):
        with Server(harness.PROGRAM, "--data", self.folder / "used"):
            self.assert_fails("has '.*used' open", self.folder / "used", self.folder / "never")
        (self.folder / "there").mkdir()
        self.assert_fails("exists already", self.whole, self.folder / "there")
        self.assert_fails("is not a Tavola directory", self.folder / "there", self.folder / "never")
        self.assert_fails("may not be inside one another", self.whole, self.whole / "inside")
        self.assert_fails("cannot open .*none", self.folder / "none", self.folder / "never")
        self.assertFalse((self.folder / "never").exists())

    def fresh_copy(self, name):
        """Returns a copy of the whole directory, and a free name beside it."""
        copy, new = self.folder / name, self.folder / f"{name}-new"
        for directory in (copy, new):
            shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(self.whole, copy)
        return copy, new

    def assert_says(self, words, source, target):
        done = run_repair(source, target)
        self.assertEqual((done.returncode, done.stdout),
                         (0, f"{words}Nothing is missing; everything that was readable is in {target}.\n"), done)

    def assert_fails(self, words, source, target):
        done = run_repair(source, target)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, f"^tavola: .*{words}")


if __name__ == "__main__":
    harness.main()
