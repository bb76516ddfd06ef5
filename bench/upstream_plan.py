#!/usr/bin/env python3
"""What a table of 10 TB and 100,000 writes/s costs behind servers with --upstream, how many of these it needs, and what limits it.

    bench/upstream_plan.py                          # prints the tables of docs/SCALE.md
    bench/upstream_plan.py --check docs/SCALE.md    # compares them with the page

Everything is computed from the numbers below. Prices of DynamoDB are those of src/workshop/prices/us-east-1.yaml.
"""
import argparse
import math
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRICES = ROOT / "src/workshop/prices/us-east-1.yaml"

# ---- The table ----
BYTES = 10e12
ITEM_BYTES = 1000
WRITES = 100_000          # each second, of clients
READS = 100_000           # each second, eventually consistent, of one item
INDEXES = 1               # each write changes one entry of it
# Kinds of writes: their share, and what a governed one needs (the table in "How a write is made"): read units, write units of the
# table, writes of index entries, requests to DynamoDB.
KINDS = {
    "creation of an item alone": (0.2, 0, 1, 1, 1),
    "change of an item alone": (0.6, 1, 1, 1, 2),
    "creation with a unique field and a counter": (0.2, 1, 6, 1, 2),
}
UNGOVERNED_UNITS = {"creation of an item alone": (0, 1), "change of an item alone": (0, 1),
                    "creation with a unique field and a counter": (0, 6)}  # the same by hand, correctly

# ---- DynamoDB (Developer Guide, read in 2026-11) ----
PARTITION_BYTES = 10e9
PARTITION_WRITES = 1000   # units a second, also of one item
PARTITION_READS = 3000
TABLE_QUOTA = 40_000      # units a second, until AWS raises it
STREAM_PAGE_BYTES = 1_000_000
STREAM_READ_MILLION = 0.2  # US dollars for a million GetRecords
MONTH_SECONDS = 30 * 86400

# ---- Fronts ----
# Processor time, as bench/server/front_ratio.py measured it on 2026-11-19; the last figure is estimated from the others.
FRONT_MICROSECONDS = {"read": 100, "creation of an item alone": 235, "change of an item alone": 315,
                      "creation with a unique field and a counter": 600}
FRONT_CORES, FRONT_HOUR, FRONT_BUSY = 2, 0.0816, 0.5  # m7g.large, us-east-1, 2026-06
AUDIT_RECORDS = 6_600     # each second and core, measured as above
AUDIT_SHARD_SECONDS = 0.01  # one GetRecords, with its way
TRANSACTION_SECONDS = 0.01  # during which another one of the same item is cancelled

# ---- PostgreSQL (bench of the store on PostgreSQL: two cores, the database beside the server, a synchronous standby) ----
POSTGRES_PUTS_CORE = 1_600
POSTGRES_CORES = 32
POSTGRES_WAL_BYTES = 2.5  # for each byte that is written


def price_list():
    return {name: float(value) for name, value in re.findall(r"^ +(\w+): ([\d.]+)", PRICES.read_text(), re.MULTILINE)}


def dollars(amount):
    return f"{amount:,.0f} $"


def tries_at(rate, seed=1, seconds=400):
    """Simulates transactions that add to one item: each takes TRANSACTION_SECONDS, is cancelled if another one is under way, and
    comes again after a pause, as fronts do (2 ms at first, doubled to 64 ms, a random part of it). Returns (attempts for each that
    succeeded, how many of a second succeeded)."""
    chance = random.Random(seed)
    arrivals = []
    at = 0.0
    while at < seconds:
        at += chance.expovariate(rate)
        arrivals.append((at, 0))
    arrivals.sort(reverse=True)
    busy_until = 0.0
    attempts = done = 0
    while arrivals:
        at, lost = arrivals.pop()
        if at > seconds:
            break
        attempts += 1
        if at >= busy_until:
            busy_until = at + TRANSACTION_SECONDS
            done += 1
            continue
        if lost >= 200:
            continue
        again = at + TRANSACTION_SECONDS + chance.random() * min(0.002 * 2 ** lost, 0.064)
        low, high = 0, len(arrivals)  # the latest one is first
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if arrivals[middle][0] > again else (low, middle)
        arrivals.insert(low, (again, lost + 1))
    return attempts / max(done, 1), done / seconds


def money():
    prices = price_list()
    reads, writes = READS / 2, 0.0
    by_hand_reads, by_hand_writes = READS / 2, 0.0
    for kind, (share, read_units, write_units, entries, _) in KINDS.items():
        rate = WRITES * share
        reads += rate * read_units
        writes += rate * (write_units + entries * INDEXES)
        by_hand_reads += rate * UNGOVERNED_UNITS[kind][0]
        by_hand_writes += rate * (UNGOVERNED_UNITS[kind][1] + entries * INDEXES)
    def requests(read_units, write_units):
        return (read_units * prices["read_million"] + write_units * prices["write_million"]) * MONTH_SECONDS / 1e6
    def provisioned(read_units, write_units):
        return (read_units * prices["read_unit_hour"] + write_units * prices["write_unit_hour"]) / 0.7 * MONTH_SECONDS / 3600
    pages = WRITES * 1.6 * 2 * ITEM_BYTES / STREAM_PAGE_BYTES + shards(writes)  # and an empty one of each shard
    rows = [
        ("units a second by hand", f"{by_hand_reads:,.0f} read, {by_hand_writes:,.0f} write"),
        ("units a second through fronts", f"{reads:,.0f} read, {writes:,.0f} write"),
        ("requests, on demand, a month", f"{dollars(requests(reads, writes))}; by hand {dollars(requests(by_hand_reads, by_hand_writes))}"),
        ("requests, provisioned at 70 %, a month", f"{dollars(provisioned(reads, writes))}; by hand {dollars(provisioned(by_hand_reads, by_hand_writes))}"),
        ("storage, with the index, a month", dollars(BYTES * (1 + INDEXES) / 1e9 * prices["gb_month"])),
        ("reading the stream for the audit, a month", dollars(pages * MONTH_SECONDS / 1e6 * STREAM_READ_MILLION)),
        ("fronts, a month", f"{fronts()} of {FRONT_CORES} cores: {dollars(fronts() * FRONT_HOUR * MONTH_SECONDS / 3600)}"),
    ]
    return rows


def fronts():
    """Returns how many fronts are needed, with one more for the loss of one."""
    seconds = READS * FRONT_MICROSECONDS["read"] / 1e6
    for kind, (share, *_) in KINDS.items():
        seconds += WRITES * share * FRONT_MICROSECONDS[kind] / 1e6
    return math.ceil(seconds / (FRONT_CORES * FRONT_BUSY)) + 1


def shards(write_units):
    """Returns the number of partitions, each of which is a shard of the stream."""
    return max(math.ceil(BYTES / PARTITION_BYTES), math.ceil(write_units / PARTITION_WRITES))


def limits():
    write_units = sum(WRITES * share * units for share, _, units, _, _ in KINDS.values())
    counted = WRITES * KINDS["creation with a unique field and a counter"][0]
    count = shards(write_units)
    records = WRITES * (1 + 2 * KINDS["creation with a unique field and a counter"][0])
    return [
        ("quota of a table", f"{write_units:,.0f} write units a second are {write_units / TABLE_QUOTA:.1f} times what an account has at first: "
                             "ask AWS, and warm the table up"),
        ("hot keys", f"one partition, and so one item, takes {PARTITION_WRITES} write units a second: {PARTITION_WRITES // 2} transactional writes of 1 KB"),
        ("parents with counters", f"{counted:,.0f} additions a second; with at most 10 a second at each (below), no fewer than {counted / 10:,.0f} parents at work"),
        ("stream", f"{count:,} shards, {records:,.0f} changes a second"),
        ("audit", f"one front audits a table: {AUDIT_RECORDS:,} changes a second and core, and {5 / AUDIT_SHARD_SECONDS:,.0f} shards within five seconds. "
                  f"This table has {records / AUDIT_RECORDS:.0f} times as many changes and {count * AUDIT_SHARD_SECONDS / 5:.0f} times as many shards: "
                  "permissions must keep other writers away, and `tavola design drift` compares"),
    ]


def parents():
    rows = []
    for rate in (1, 5, 10, 20, 40, 80):
        attempts, done = tries_at(rate)
        rows.append((f"{rate}", f"{attempts - 1:.2f}", f"{done:.0f}"))
    return rows


def postgres():
    puts = POSTGRES_PUTS_CORE * POSTGRES_CORES
    return [
        ("writes a second, two cores, measured", f"{POSTGRES_PUTS_CORE * 2:,}"),
        (f"writes a second, {POSTGRES_CORES} cores, if it grew with them", f"{puts:,}: at most {puts / WRITES:.0%} of this load"),
        ("log to standbys at that rate", f"{puts * ITEM_BYTES * POSTGRES_WAL_BYTES / 1e6:,.0f} MB/s"),
        ("base backup of 10 TB at 500 MB/s", f"{BYTES / 500e6 / 3600:.1f} hours, as long as a lost standby needs to come back"),
    ]


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def text():
    return "\n\n".join([
        table(("cost", ""), money()),
        table(("limit", ""), limits()),
        table(("additions a second to one item", "lost races each", "done a second"), parents()),
        table(("PostgreSQL", ""), postgres()),
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=pathlib.Path, metavar="PAGE", help="fail unless the page has these tables")
    options = parser.parse_args()
    if not options.check:
        print(text())
        return 0
    page = options.check.read_text()
    missing = [one for one in text().split("\n\n") if one not in page]
    for one in missing:
        print(f"{options.check} does not have this table; bench/upstream_plan.py prints all:\n\n{one}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
