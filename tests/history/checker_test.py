#!/usr/bin/env python3
"""The checker on histories written by hand: the sound ones pass, each of the others is detected."""
import unittest

from checker import check
from record import FAILED, UNKNOWN, Transaction


class Writer:
    """Writes a history: times are given as start and end, keys by name."""

    def __init__(self):
        self.transactions = []

    def add(self, start, end, *, outcome="ok", **parts):
        self.transactions.append(Transaction(len(self.transactions), "op", start, end, outcome, **parts))
        return self

    def append(self, start, end, **appends):
        return self.add(start, end, appends=appends)

    def read(self, start, end, **reads):
        return self.add(start, end, reads=reads)

    def check(self, strict=True):
        return check(self.transactions, strict)


class Sound(unittest.TestCase):
    def sound(self, history, strict=True):
        self.assertEqual(history.check(strict), [])

    def test_one_after_the_other(self):
        self.sound(Writer().append(0, 1, a=1).read(2, 3, a=[1]).append(4, 5, a=2).read(6, 7, a=[1, 2]))

    def test_a_read_may_see_either_side_of_a_write_at_the_same_time(self):
        self.sound(Writer().append(0, 10, a=1).read(1, 2, a=[]).read(11, 12, a=[1]))
        self.sound(Writer().append(0, 10, a=1).read(1, 2, a=[1]).read(11, 12, a=[1]))

    def test_an_unknown_write_may_happen_or_not_or_late(self):
        for seen in ([], [7]):
            self.sound(Writer().add(0, 1, outcome=UNKNOWN, appends={"a": 7}).read(2, 3, a=[]).read(4, 5, a=seen))

    def test_a_refused_write_leaves_nothing(self):
        self.sound(Writer().add(0, 1, outcome=FAILED, appends={"a": 7}).read(2, 3, a=[]))

    def test_serializable_though_not_by_the_clock(self):
        # A slow read of both keys saw the second write without the first: odd, but an order.
        history = Writer().append(0, 1, a=1).append(2, 3, b=2).add(0, 9, reads={"a": [], "b": [2]})
        history.read(10, 11, a=[1]).read(10, 11, b=[2])
        self.sound(history, strict=False)
        self.assertIn("in no order that agrees with the clock", history.check()[0])

    def test_a_condition_that_held(self):
        self.sound(Writer().append(0, 1, a=1).add(2, 3, appends={"a": 2}, lengths={"a": 1}).read(4, 5, a=[1, 2]))


class Unsound(unittest.TestCase):
    def wrong(self, history, words, strict=True):
        problems = "\n".join(history.check(strict))
        self.assertIn(words, problems)

    def test_an_acknowledged_write_is_gone(self):
        self.wrong(Writer().append(0, 1, a=1).append(2, 3, a=2).read(4, 5, a=[1]), "a lost 2")

    def test_an_element_twice(self):
        self.wrong(Writer().append(0, 1, a=1).read(2, 3, a=[1, 1]), "more than once")

    def test_an_element_from_nowhere(self):
        self.wrong(Writer().read(0, 1, a=[5]), "which nobody appended")
        self.wrong(Writer().append(0, 1, b=5).read(2, 3, a=[5]).read(2, 3, b=[5]), "which nobody appended")

    def test_an_element_of_a_refused_write(self):
        self.wrong(Writer().add(0, 1, outcome=FAILED, appends={"a": 7}).read(2, 3, a=[7]), "of a refused write")

    def test_an_overwritten_element(self):
        history = Writer().append(0, 9, a=1).append(0, 9, a=2).append(0, 9, a=3)
        self.wrong(history.read(1, 2, a=[1, 2]).read(10, 11, a=[1, 3]), "two pasts")

    def test_a_stale_read(self):
        self.wrong(Writer().append(0, 1, a=1).read(2, 3, a=[]).read(4, 5, a=[1]), "not linearizable", strict=False)

    def test_two_reads_go_back_in_time(self):
        history = Writer().append(0, 9, a=1).read(1, 2, a=[1]).read(3, 4, a=[]).read(10, 11, a=[1])
        self.wrong(history, "not linearizable", strict=False)

    def test_half_a_transaction_is_seen(self):
        history = Writer().append(0, 9, a=1, b=2).read(1, 8, a=[1], b=[]).read(10, 11, a=[1]).read(10, 11, b=[2])
        self.wrong(history, "not serializable", strict=False)

    def test_transactions_in_two_orders(self):
        # ww one way by a, the other way by b.
        history = Writer().append(0, 9, a=1, b=2).append(0, 9, a=3, b=4)
        self.wrong(history.read(10, 11, a=[1, 3]).read(10, 11, b=[4, 2]), "not serializable", strict=False)

    def test_two_transactions_see_each_other(self):
        history = Writer().add(0, 9, appends={"a": 1}, reads={"b": [2]}).add(0, 9, appends={"b": 2}, reads={"a": [1]})
        self.wrong(history.read(10, 11, a=[1]).read(10, 11, b=[2]), "not serializable", strict=False)

    def test_write_skew(self):
        history = Writer().add(0, 9, appends={"a": 1}, reads={"b": []}).add(0, 9, appends={"b": 2}, reads={"a": []})
        self.wrong(history.read(10, 11, a=[1]).read(10, 11, b=[2]), "not serializable", strict=False)

    def test_write_skew_by_conditions(self):
        history = Writer().add(0, 9, appends={"a": 1}, lengths={"b": 0}).add(0, 9, appends={"b": 2}, lengths={"a": 0})
        self.wrong(history.read(10, 11, a=[1]).read(10, 11, b=[2]), "not serializable", strict=False)

    def test_two_readers_disagree_on_the_order_of_writes(self):
        history = Writer().append(0, 9, a=1).append(0, 9, b=2).read(0, 9, a=[1], b=[]).read(0, 9, a=[], b=[2])
        self.wrong(history.read(10, 11, a=[1]).read(10, 11, b=[2]), "not serializable", strict=False)

    def test_a_condition_that_did_not_hold(self):
        history = Writer().append(0, 1, a=1).add(2, 3, appends={"a": 2}, lengths={"a": 0}).read(4, 5, a=[1, 2])
        self.wrong(history, "not linearizable", strict=False)
        self.wrong(Writer().add(0, 1, lengths={"a": 3}).read(2, 3, a=[]), "never had the length")

    def test_half_of_an_unknown_transaction_has_happened(self):
        history = Writer().add(0, 1, outcome=UNKNOWN, appends={"a": 1, "b": 2})
        history.read(2, 3, a=[1]).read(2, 3, b=[]).read(4, 5, a=[1]).read(4, 5, b=[])
        self.wrong(history, "in no order that agrees with the clock")

    def test_a_lock_held_by_two(self):
        def held(first, second):
            return Writer().add(*first, holds="k").add(*second, holds="k")
        self.wrong(held((0, 5), (3, 9)), "k was held by two")
        self.wrong(held((0, 9), (3, 4)), "k was held by two")
        self.assertEqual(held((0, 5), (5, 9)).check(), [])

    def test_what_the_answer_alone_shows(self):
        self.wrong(Writer().add(0, 1, problems=["the counter is 3"]), "the counter is 3")


if __name__ == "__main__":
    unittest.main()
