"""The clients of a history: each performs random operations on a few shared keys, and records them.

A key holds a list `l` and its length `n`, counted by ADD. Keys live in partitions of four; when a list has become long,
its partition is left for a new one, so that responses stay short.
"""
import concurrent.futures
import multiprocessing
import random
import time

from connection import Broken, Connection
from record import FAILED, OK, UNKNOWN, Transaction

TABLE = "history"
PARTITIONS = 2            # in use at a time
KEYS = 4                  # of a partition
LONG_LIST = 60            # elements, upon which a new partition is begun
LOCKS = 2
CUT = 0.02                # of the writes: the client vanishes before the answer
RETRIES = 200             # of a transaction with a token
CLIENTS_PER_PROCESS = 4
ELEMENTS_PER_CLIENT = 10_000_000
FAILURES_ARE_EXPECTED = False  # servers are killed: broken connections and errors of the server are no problem

APPEND = "SET l = list_append(if_not_exists(l, :none), :e) ADD n :one"


def table_request():
    names = ("pk", "sk")
    return {"TableName": TABLE, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in names],
            "KeySchema": [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]}


def number(value):
    return {"N": str(value)}


def key_of(name):
    """A key of the history is called partition/sort key."""
    partition, _, sort = name.partition("/")
    return {"pk": {"S": partition}, "sk": {"S": sort}}


def name_of(item):
    return f"{item['pk']['S']}/{item['sk']['S']}"


def length_is(length):
    """A condition, with its values."""
    if length == 0:
        return "attribute_not_exists(pk)", {}
    return "n = :length", {":length": number(length)}


def append_action(name, element, length=None):
    """The members of an UpdateItem, or of an Update in a transaction."""
    values = {":none": {"L": []}, ":e": {"L": [number(element)]}, ":one": number(1)}
    action = {"TableName": TABLE, "Key": key_of(name), "UpdateExpression": APPEND}
    if length is not None:
        action["ConditionExpression"], more = length_is(length)
        action["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        values.update(more)
    action["ExpressionAttributeValues"] = values
    return action


def is_conflict(answer):
    """Returns whether other transactions held the items at that time: worth another try."""
    if answer.error == "TransactionCanceledException":
        return all(reason["Code"] in ("None", "TransactionConflict") for reason in answer.body["CancellationReasons"])
    return answer.error == "TransactionInProgressException"


class Client:
    """One client, on a connection of its own."""

    def __init__(self, number_, address, seed, generations):
        self.number = number_
        self.connection = Connection(*address)
        self.random = random.Random(f"{seed}/{number_}")
        self.generations = generations  # of the partitions in use, shared by all clients
        self.elements = number_ * ELEMENTS_PER_CLIENT
        self.known = {}                 # key: its list when this client saw it last
        self.transactions = []

    def run(self, until):
        # A lock whose holder got no answer stays locked.
        kinds, weights = zip(*(one for one in self.KINDS.items()
                               if not FAILURES_ARE_EXPECTED or one[0] is not Client.lock))
        while time.monotonic() < until:
            self.random.choices(kinds, weights)[0](self)
        self.connection.close()
        return self.transactions

    # ---- Keys and elements ----

    def partition(self):
        slot = self.random.randrange(len(self.generations))
        return f"p{slot}.{self.generations[slot]}"

    def some_keys(self, count):
        names = set()
        while len(names) < count:
            names.add(f"{self.partition()}/{self.random.randrange(KEYS)}")
        return sorted(names)

    def next_element(self):
        self.elements += 1
        return self.elements

    def remember(self, name, elements):
        self.known[name] = elements
        if len(elements) >= LONG_LIST:
            slot, _, generation = name[1:].partition("/")[0].partition(".")
            if self.generations[int(slot)] == int(generation):
                self.generations[int(slot)] = int(generation) + 1
                self.known.clear()

    def expected_length(self, name):
        """Returns a known version of a key: often outdated, sometimes just read."""
        if self.random.random() < 0.5:
            self.read(name)
        return len(self.known.get(name, ()))

    # ---- Recording ----

    def begin(self, kind, **parts):
        return Transaction(self.number, kind, time.monotonic_ns(), 0, **parts)

    def end(self, transaction, outcome):
        transaction.outcome = outcome
        transaction.end = time.monotonic_ns()
        self.transactions.append(transaction)

    def list_in(self, item, transaction):
        """Returns the list of an item, which may be absent; its counter must agree."""
        if not item:
            return []
        elements = [int(element["N"]) for element in item["l"]["L"]]
        counted = int(item["n"]["N"])
        if counted != len(elements):
            transaction.problems.append(f"the counter is {counted}, the list has {len(elements)} elements")
        return elements

    def saw(self, transaction, name, item):
        transaction.reads[name] = self.list_in(item, transaction)
        self.remember(name, transaction.reads[name])

    def saw_refusal(self, transaction, name, item):
        """A failed condition returns the item: a read, at some time during the refused operation."""
        seen = Transaction(self.number, transaction.kind + ", refused", transaction.start, transaction.end)
        self.saw(seen, name, item)
        if len(seen.reads[name]) == transaction.lengths.get(name):
            seen.problems.append("a condition was refused although it held")
        self.transactions.append(seen)

    def call(self, transaction, operation, request):
        """Returns the response's body, or None if there is none or it is a refusal; then the record is complete."""
        try:
            self.connection.send(operation, request)
            if transaction.appends and self.random.random() < CUT:
                if self.random.random() < 0.5:
                    time.sleep(self.random.random() / 1000)
                self.connection.reset()
                return self.end(transaction, UNKNOWN)
            answer = self.connection.receive()
        except Broken as problem:
            if not FAILURES_ARE_EXPECTED:
                transaction.problems.append(f"the connection broke: {problem}")
            return self.end(transaction, UNKNOWN)
        if answer.status == 200:
            return answer.body
        self.refused(transaction, answer)
        return None

    def refused(self, transaction, answer):
        self.end(transaction, FAILED)
        if answer.error == "ConditionalCheckFailedException":
            name = next(iter(transaction.appends))
            self.saw_refusal(transaction, name, answer.body.get("Item"))
        elif answer.error == "TransactionCanceledException":
            for name, reason in zip(self.actions_on, answer.body["CancellationReasons"]):
                if reason["Code"] == "ConditionalCheckFailed":
                    self.saw_refusal(transaction, name, reason.get("Item"))
            if all(reason["Code"] == "None" for reason in answer.body["CancellationReasons"]):
                transaction.problems.append("a transaction was cancelled for no reason")
        elif answer.error != "TransactionConflictException":
            transaction.outcome = UNKNOWN if answer.status >= 500 else FAILED
            if FAILURES_ARE_EXPECTED and answer.status >= 500:
                return
            transaction.problems.append(f"unexpected answer: {answer.status} {answer.body}")

    # ---- Operations on one key ----

    def read(self, name=None):
        name = name or self.some_keys(1)[0]
        transaction = self.begin("GetItem")
        body = self.call(transaction, "GetItem", {"TableName": TABLE, "Key": key_of(name), "ConsistentRead": True})
        if body is not None:
            self.end(transaction, OK)
            self.saw(transaction, name, body.get("Item"))

    def append(self):
        self.update(self.some_keys(1)[0], None)

    def append_if(self):
        name = self.some_keys(1)[0]
        self.update(name, self.expected_length(name))

    def update(self, name, length):
        element = self.next_element()
        request = append_action(name, element, length)
        returns = request["ReturnValues"] = self.random.choice(
            ("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"))
        kind = "UpdateItem" if length is None else "UpdateItem if"
        transaction = self.begin(kind, appends={name: element}, lengths={} if length is None else {name: length})
        body = self.call(transaction, "UpdateItem", request)
        if body is None:
            return
        self.end(transaction, OK)
        if returns in ("ALL_OLD", "UPDATED_OLD"):
            self.saw(transaction, name, body.get("Attributes"))
        elif returns != "NONE":
            self.saw(transaction, name, body.get("Attributes"))
            own = transaction.reads[name][-1:]
            transaction.reads[name] = transaction.reads[name][:-1]
            if own != [element]:
                transaction.problems.append(f"what is returned as new ends with {own}")

    def replace_if(self):
        """Reads, changes, and puts back if unchanged, like programs that keep a version number."""
        name = self.some_keys(1)[0]
        length = self.expected_length(name)
        before, element = self.known.get(name, []), self.next_element()
        item = {**key_of(name), "l": {"L": [number(one) for one in [*before, element]]}, "n": number(length + 1)}
        request = {"TableName": TABLE, "Item": item, "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                   "ReturnValues": self.random.choice(("NONE", "ALL_OLD"))}
        request["ConditionExpression"], values = length_is(length)
        if values:
            request["ExpressionAttributeValues"] = values
        transaction = self.begin("PutItem if", appends={name: element}, lengths={name: length})
        body = self.call(transaction, "PutItem", request)
        if body is None:
            return
        self.end(transaction, OK)
        if request["ReturnValues"] == "ALL_OLD":
            self.saw(transaction, name, body.get("Attributes"))
            if transaction.reads[name] != before:
                transaction.problems.append("what was replaced is not what the condition found")
        self.remember(name, [*before, element])

    # ---- Operations on several keys ----

    def transact_write(self, **token):
        names = self.some_keys(self.random.randint(2, 4))
        appends = {name: self.next_element() for name in names}
        transaction = self.begin("TransactWriteItems", appends=appends)
        actions = [{"Update": append_action(name, element)} for name, element in appends.items()]
        return self.transact(transaction, names, {"TransactItems": actions, **token})

    def transact_write_if(self):
        """Sends conditions on some keys, and appends to others or to the same."""
        names = self.some_keys(self.random.randint(2, 4))
        self.random.shuffle(names)
        transaction = self.begin("TransactWriteItems if")
        checked = self.random.randint(1, len(names) - 1)
        actions = []
        for name in names[:checked]:
            length = transaction.lengths[name] = self.expected_length(name)
            check = {"TableName": TABLE, "Key": key_of(name), "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
            check["ConditionExpression"], values = length_is(length)
            if values:
                check["ExpressionAttributeValues"] = values
            actions.append({"ConditionCheck": check})
        for name in names[checked:]:
            length = self.expected_length(name) if self.random.random() < 0.3 else None
            if length is not None:
                transaction.lengths[name] = length
            transaction.appends[name] = self.next_element()
            actions.append({"Update": append_action(name, transaction.appends[name], length)})
        transaction.start = time.monotonic_ns()  # earlier reads happened before
        self.transact(transaction, names, {"TransactItems": actions})

    def transact(self, transaction, names, request):
        self.actions_on = names
        if self.call(transaction, "TransactWriteItems", request) is not None:
            self.end(transaction, OK)
        return transaction, request

    def transact_again(self):
        """Sends with a token: whatever the result of the first try, and however often it is retried, it happens
        once."""
        token = f"{self.number}-{self.next_element()}"
        transaction, request = self.transact_write(ClientRequestToken=token)
        if transaction.outcome == FAILED:
            return
        for _ in range(RETRIES):
            try:
                answer = self.connection.call("TransactWriteItems", request)
            except Broken as problem:
                if not FAILURES_ARE_EXPECTED:
                    transaction.problems.append(f"the connection broke: {problem}")
                return
            if FAILURES_ARE_EXPECTED and answer.status >= 500:
                return
            if answer.status == 200:
                transaction.outcome = OK
                transaction.end = time.monotonic_ns()
                return
            if not is_conflict(answer):
                transaction.problems.append(f"tried again with its token: {answer.status} {answer.body}")
                return

    def transact_get(self):
        names = self.some_keys(self.random.randint(2, 4))
        transaction = self.begin("TransactGetItems")
        gets = [{"Get": {"TableName": TABLE, "Key": key_of(name)}} for name in names]
        self.actions_on = names
        body = self.call(transaction, "TransactGetItems", {"TransactItems": gets})
        if body is not None:
            self.end(transaction, OK)
            for name, response in zip(names, body["Responses"]):
                self.saw(transaction, name, response.get("Item"))

    def query(self):
        """A page is read at one point in time: Tavola promises that, DynamoDB does not."""
        partition = self.partition()
        transaction = self.begin("Query")
        body = self.call(transaction, "Query", {
            "TableName": TABLE, "ConsistentRead": True, "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": partition}}})
        if body is not None:
            self.end(transaction, OK)
            items = {name_of(item): item for item in body["Items"]}
            for sort in range(KEYS):
                self.saw(transaction, f"{partition}/{sort}", items.get(f"{partition}/{sort}"))

    def batch_get(self):
        """Each item is read separately."""
        names = self.some_keys(self.random.randint(2, 4))
        transaction = self.begin("BatchGetItem")
        body = self.call(transaction, "BatchGetItem", {
            "RequestItems": {TABLE: {"Keys": [key_of(name) for name in names], "ConsistentRead": True}}})
        if body is None:
            return
        items = {name_of(item): item for item in body["Responses"][TABLE]}
        ended = time.monotonic_ns()
        for name in names:
            read = Transaction(self.number, "BatchGetItem", transaction.start, ended)
            self.saw(read, name, items.get(name))
            self.transactions.append(read)

    # ---- Locks ----

    def lock(self):
        """Puts if absent, looks, deletes if it is its own: no other client may interfere."""
        lock = f"lock{self.random.randrange(LOCKS)}/x"
        mine = {"S": f"{self.number}-{self.next_element()}"}
        attempt = self.begin("lock")
        try:
            taken = self.connection.call("PutItem", {"TableName": TABLE, "Item": {**key_of(lock), "owner": mine},
                                                     "ConditionExpression": "attribute_not_exists(pk)"})
            if taken.status != 200:
                if taken.error != "ConditionalCheckFailedException":
                    attempt.problems.append(f"unexpected answer: {taken.status} {taken.body}")
                    self.end(attempt, FAILED)
                return
            hold = self.begin("lock", holds=lock)
            seen = self.connection.call("GetItem", {"TableName": TABLE, "Key": key_of(lock), "ConsistentRead": True})
            if seen.body.get("Item", {}).get("owner") != mine:
                hold.problems.append(f"{lock} is held, but a read shows {seen.body}")
            self.end(hold, OK)
            released = self.connection.call("DeleteItem", {
                "TableName": TABLE, "Key": key_of(lock), "ConditionExpression": "#o = :me",
                "ExpressionAttributeNames": {"#o": "owner"}, "ExpressionAttributeValues": {":me": mine}})
            if released.status != 200:
                hold.problems.append(f"{lock} was held, but to release it was answered with {released.body}")
        except Broken as problem:
            attempt.problems.append(f"the connection broke: {problem}")
            self.end(attempt, UNKNOWN)

    KINDS = {read: 12, append: 18, append_if: 10, replace_if: 10, transact_write: 14, transact_write_if: 12,
             transact_again: 3, transact_get: 10, query: 5, batch_get: 3, lock: 3}


# ---- All of them ----

_generations = None  # of this process: shared memory, inherited from the parent


def _adopt(generations):
    global _generations
    _generations = generations


def _run_clients(numbers, address, seed, until):
    clients = [Client(number_, address, seed, _generations) for number_ in numbers]
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as threads:
        for done in [threads.submit(client.run, until) for client in clients]:
            done.result()  # an unexpected result fails the run
    return [transaction for client in clients for transaction in client.transactions]


def run(address, clients, seconds, seed):
    """Runs the clients, and reads every key at the end; returns all transactions."""
    setup = Connection(*address)
    setup.must("CreateTable", table_request())
    generations = multiprocessing.Array("i", PARTITIONS, lock=False)
    groups = [range(first, min(first + CLIENTS_PER_PROCESS, clients))
              for first in range(0, clients, CLIENTS_PER_PROCESS)]
    began = time.monotonic_ns()
    until = time.monotonic() + seconds
    with concurrent.futures.ProcessPoolExecutor(len(groups), multiprocessing.get_context("fork"), _adopt,
                                                (generations,)) as pool:
        running = [pool.submit(_run_clients, numbers, address, seed, until) for numbers in groups]
        transactions = [one for group in running for one in group.result()]
    # Twice, so that the effects of an unknown transaction on all keys are compared.
    reader = Client(clients, address, seed, generations)
    names = sorted({name for one in transactions for name in one.keys()})
    for name in [*names, *names]:
        reader.read(name)
    reader.connection.close()
    setup.close()
    transactions += reader.transactions
    for one in transactions:
        one.start, one.end = one.start - began, one.end - began
    return transactions
