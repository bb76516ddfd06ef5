#!/usr/bin/env python3
"""Decides whether a history could have happened one transaction after the other.

    tests/history/checker.py FILE      a history that run.py saved

The method is that of Elle (Kingsbury and Alvaro, 2020): lists that are only appended to reveal the order of their
versions, so dependencies are known instead of guessed, and the search for an order becomes the search for a
cycle. Between transactions that touch a key:

    ww   one wrote the version before the other's
    wr   one wrote the version that the other saw
    rw   one saw the version that the other replaced
    rt   one had ended before the other began

A history is serializable exactly if ww, wr and rw have no cycle; strictly so if they have none together with rt.
For each key alone rt always counts (reads are consistent, so a key is linearizable); for the whole it counts unless
the caller says otherwise. Besides cycles, these are violations: an element twice, an element of a refused write, an
acknowledged element that is missing at the end, two versions of which neither begins with the other, a counter that is
not the list's length, a lock that two clients held.
"""
import collections
import sys

from record import FAILED, OK, UNKNOWN, Transaction, load, shorten

PROBLEMS_SHOWN = 5
Edge = collections.namedtuple("Edge", "kind key target")


def check(transactions, strict=True):
    """Returns the violations as texts; none if the history is sound. The last reads must begin after all others
    ended."""
    history = History(transactions)
    problems = history.problems + locks_held_twice(transactions)
    versions = {key: Versions(key, history, problems) for key in sorted(history.seen)}
    for key, order in versions.items():
        cycle = find_cycle(history.touching[key], {key: order}, with_time=True)
        if cycle:
            problems.append(f"{key} is not linearizable:\n" + describe(cycle))
    if problems:  # their cycles would be found again below, with longer texts
        return problems
    cycle = find_cycle(history.happened, versions, with_time=False)
    if cycle:
        problems.append("not serializable:\n" + describe(cycle))
    elif strict and (cycle := find_cycle(history.happened, versions, with_time=True)):
        problems.append("serializable, but in no order that agrees with the clock:\n" + describe(cycle))
    return problems


def locks_held_twice(transactions):
    """A lock is an item that one client puts when it is absent and deletes when it is its own."""
    holds = collections.defaultdict(list)
    for one in transactions:
        if one.holds:
            holds[one.holds].append(one)
    problems = []
    for lock, holders in holds.items():
        holders.sort(key=lambda one: one.start)
        last = holders[0]
        for one in holders[1:]:
            if one.start < last.end:
                problems.append(f"{lock} was held by two at once:\n  {last}\n  {one}")
            last = max(last, one, key=lambda holder: holder.end)
    return problems


class History:
    """The transactions, sorted by their known facts."""

    def __init__(self, transactions):
        self.problems = [f"{problem}\n  {one}" for one in transactions for problem in one.problems]
        self.seen = collections.defaultdict(list)      # key: the transactions that saw its list
        self.writers = {}                              # element: who appends it
        for one in transactions:
            if one.outcome == OK:
                for key in one.reads:
                    self.seen[key].append(one)
            for element in one.appends.values():
                if self.writers.setdefault(element, one) is not one:
                    raise ValueError(f"two transactions append {element}")
        shown = {element for key, readers in self.seen.items() for one in readers for element in one.reads[key]}
        # An unknown one whose effect was seen has happened; no transaction depends on the others.
        self.happened = [one for one in transactions
                         if one.outcome == OK
                         or one.outcome == UNKNOWN and not shown.isdisjoint(one.appends.values())]
        self.touching = collections.defaultdict(list)  # key: the transactions on it
        for one in self.happened:
            for key in one.keys():
                self.touching[key].append(one)


class Versions:
    """The versions of one key, in their order. elements[i] made version i + 1; version 0 is the empty list."""

    def __init__(self, key, history, problems):
        self.key = key
        self.transactions = history.touching[key]
        readers = history.seen[key]
        self.elements = max((one.reads[key] for one in readers), key=len)
        self.position = {element: at for at, element in enumerate(self.elements)}
        self.writers = [history.writers.get(element) for element in self.elements]
        # Transactions that happened without a trace on this key: after every version that was seen.
        self.unseen = [one for one in self.transactions
                       if key in one.appends and one.appends[key] not in self.position]
        self._check_elements(problems)
        self._check_reads(readers, problems)
        self._check_lengths(problems)
        self._check_acknowledged(problems)

    def _check_elements(self, problems):
        if len(self.position) < len(self.elements):
            twice = [element for element, times in collections.Counter(self.elements).items() if times > 1]
            problems.append(f"{self.key} holds {shorten(twice)} more than once, e.g. appended by\n  "
                            f"{self.writers[self.elements.index(twice[0])]}")
        for element, writer in zip(self.elements, self.writers):
            if writer is None or self.key not in writer.appends or writer.appends[self.key] != element:
                problems.append(f"{self.key} holds {element}, which nobody appended to it")
            elif writer.outcome == FAILED:
                problems.append(f"{self.key} holds {element} of a refused write:\n  {writer}")

    def _check_reads(self, readers, problems):
        for one in readers:
            seen = one.reads[self.key]
            if self.elements[:len(seen)] != seen:
                at = next(i for i, element in enumerate(seen) if element != self.elements[i])
                problems.append(f"{self.key} had two pasts: its version {at + 1} ends with {self.elements[at]} or with "
                                f"{seen[at]}\n  {one}")
                return  # one is enough: all later ones differ, too

    def _check_lengths(self, problems):
        for one in self.transactions:
            if one.lengths.get(self.key, 0) > len(self.elements):
                problems.append(f"{self.key} never had the length that a condition found:\n  {one}")

    def _check_acknowledged(self, problems):
        for one in self.unseen:
            if one.outcome == OK:
                problems.append(f"{self.key} lost {one.appends[self.key]}, whose write was acknowledged:\n  {one}")

    def read_by(self, one):
        """Returns the number of the version that a transaction saw; None if it saw none."""
        if self.key in one.reads:
            return len(one.reads[self.key])
        return one.lengths.get(self.key)

    def edges(self):
        """Yields (from, Edge) for every dependency by way of this key."""
        last = None
        for writer in self.writers:
            if writer is None:
                continue
            if last is not None and last is not writer:
                yield last, Edge("ww", self.key, writer)
            last = writer
        if last is not None:
            for writer in self.unseen:
                yield last, Edge("ww", self.key, writer)
        for one in self.transactions:
            version = self.read_by(one)
            if version is None or version > len(self.writers):
                continue
            if version > 0:
                writer = self.writers[version - 1]
                if writer is not None and writer is not one:
                    yield writer, Edge("wr", self.key, one)
            following = self.unseen if version == len(self.writers) else [self.writers[version]]
            for writer in following:
                if writer is not None and writer is not one:
                    yield one, Edge("rw", self.key, writer)


# ---- Cycles ----

class Moment:
    """A point in time, between transactions that ended before it and those that began after it."""

    def __init__(self, start):
        self.start = start


def find_cycle(transactions, versions, with_time):
    """Returns a shortest cycle in one of the graph's knots, as [(transaction, Edge), ...]; None if there is none."""
    graph = {id(one): [] for one in transactions}
    nodes = {id(one): one for one in transactions}
    for order in versions.values():
        for source, edge in order.edges():
            if id(source) in graph and id(edge.target) in graph:  # a refused write that happened is reported elsewhere
                graph[id(source)].append(edge)
    if with_time:
        add_time(transactions, graph, nodes)
    knot = smallest_knot(graph)
    return shortest_cycle(graph, nodes, knot) if knot else None


def add_time(transactions, graph, nodes):
    """Adds "had ended before it began" in a number of edges that grows with the transactions, not with their pairs:
    moments are in order, one for every beginning; a transaction that has ended leads to the next moment, a moment to those that begin."""
    beginnings = sorted(transactions, key=lambda one: one.start)
    endings = sorted((one for one in transactions if one.outcome == OK), key=lambda one: one.end)
    moment, at = None, 0
    for one in beginnings:
        ended = []
        while at < len(endings) and endings[at].end < one.start:
            ended.append(endings[at])
            at += 1
        if ended:
            following = Moment(one.start)
            nodes[id(following)], graph[id(following)] = following, []
            for before in ended:
                graph[id(before)].append(Edge("rt", None, following))
            if moment is not None:
                graph[id(moment)].append(Edge("rt", None, following))
            moment = following
        if moment is not None:
            graph[id(moment)].append(Edge("rt", None, one))


def smallest_knot(graph):
    """Returns the smallest set of nodes that all lead to each other (Tarjan's algorithm, without recursion); None if
    none."""
    index, low, on_stack, stack = {}, {}, set(), []
    smallest = None
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, edges = work[-1]
            for edge in edges:
                target = id(edge.target)
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(graph[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = len(stack) - 1
                    while stack[at] != node:
                        at -= 1
                    knot = stack[at:]
                    del stack[at:]
                    on_stack.difference_update(knot)
                    if len(knot) > 1 and (smallest is None or len(knot) < len(smallest)):
                        smallest = knot
    return set(smallest) if smallest else None


def shortest_cycle(graph, nodes, knot):
    """Searches breadth first from some of the knot's transactions back to themselves."""
    best = None
    for origin in [node for node in knot if isinstance(nodes[node], Transaction)][:50]:
        came = {}
        queue = collections.deque([origin])
        while queue and origin not in came:
            node = queue.popleft()
            for edge in graph[node]:
                target = id(edge.target)
                if target in knot and target not in came:
                    came[target] = (node, edge)
                    queue.append(target)
        cycle, node = [], origin
        while not cycle or node != origin:
            node, edge = came[node]
            cycle.append((nodes[node], edge))
        if best is None or len(cycle) < len(best):
            best = cycle
    return best[::-1]


BECAUSE = {"ww": "wrote the version of {} before that of", "wr": "wrote the version of {} seen by",
           "rw": "saw the version of {} replaced by", "rt": "had ended before the beginning of"}


def describe(cycle):
    """Returns a cycle for people: each line must come before the next, and the last before the first."""
    lines = []
    start = next(at for at, (one, _) in enumerate(cycle) if isinstance(one, Transaction))
    cycle = cycle[start:] + cycle[:start]
    numbers = {}
    for one, _ in cycle:
        if isinstance(one, Transaction):
            numbers[id(one)] = f"T{len(numbers) + 1}"
    following = [id(one) for one, _ in cycle[1:] + cycle[:1]]
    for place, (one, edge) in enumerate(cycle):
        if not isinstance(one, Transaction):
            continue
        target = place
        while following[target] not in numbers:  # by way of moments
            target = (target + 1) % len(cycle)
        lines.append(f"  {numbers[id(one)]} {one}\n     {BECAUSE[edge.kind].format(edge.key)} "
                     f"{numbers[following[target]]}")
    return "\n".join(lines)


def report(problems):
    """Prints the first of them."""
    for problem in problems[:PROBLEMS_SHOWN]:
        print(f"WRONG: {problem}")
    if len(problems) > PROBLEMS_SHOWN:
        print(f"... and {len(problems) - PROBLEMS_SHOWN} more")


def main():
    transactions = load(sys.argv[1])
    problems = check(transactions)
    report(problems)
    print(f"{len(transactions)} transactions, {'not ' if problems else ''}strictly serializable")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
