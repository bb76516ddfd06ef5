# ---- Operations: a write is conditional on the used fields of items that were read; after a concurrent change all is retried ----

_GONE: Any = object()  # the value of a field that is removed


@dataclasses.dataclass
class _Write:
    kind: str  # ConditionCheck, Put, Update or Delete
    key: Fields
    item: Fields = dataclasses.field(default_factory=dict)  # of a Put
    set: Fields = dataclasses.field(default_factory=dict)  # of an Update; None removes
    add: Fields = dataclasses.field(default_factory=dict)
    same: Fields = dataclasses.field(default_factory=dict)  # attributes that must be unchanged
    exists: bool | None = None  # the item must, or must not, exist
    refusal: Refused | None = None  # the refusal if it is not so
    counter: str | None = None  # the counter without a target
    is_sought: bool = False  # an entity that exists by now is the result of the operation

    def request(self, table: str, hash_key: str) -> Fields:
        expression = _Expression()
        conditions = [
            f"attribute_not_exists({expression.name(name)})" if old is None else f"{expression.name(name)} = {expression.value(old)}"
            for name, old in self.same.items()
        ]
        if self.exists is not None:
            conditions.append(f"attribute_{'' if self.exists else 'not_'}exists({expression.name(hash_key)})")
        clauses = {
            "SET": [f"{expression.name(name)} = {expression.value(to)}" for name, to in self.set.items() if to is not None],
            "REMOVE": [expression.name(name) for name, to in self.set.items() if to is None],
            "ADD": [f"{expression.name(name)} {expression.value(by)}" for name, by in self.add.items()],
        }
        update = " ".join(f"{word} {', '.join(all_)}" for word, all_ in clauses.items() if all_)
        request: Fields = {"TableName": table, **expression.request()}
        if conditions:
            request["ConditionExpression"] = " AND ".join(conditions)
        if self.kind == "Put":
            return {"Put": {**request, "Item": _item_to_wire(self.item)}}
        request["Key"] = _item_to_wire(self.key)
        if self.kind == "Delete":
            return {"Delete": request}
        return {"Update": {**request, "UpdateExpression": update}} if update else {"ConditionCheck": request}


class _View(Mapping[str, Any]):
    """Fields that record which of them were read. `changes` hide the stored values."""

    def __init__(self, stored: Fields, used: set[str], changes: Fields | None = None, seen: set[str] | None = None) -> None:
        self.stored = stored
        self.used = used
        self.changes = changes or {}
        self.seen = seen

    def __getitem__(self, name: str) -> Any:
        if self.seen is not None:
            self.seen.add(name)
        if name not in self.changes:
            self.used.add(name)
        value = self.changes[name] if name in self.changes else self.stored.get(name)
        if value is None or value is _GONE:
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __len__(self) -> int:
        return len(self.stored)


def _refuse(refusal: str, reason: str) -> None:
    raise _refused(refusal, reason)


def _present(fields: Mapping[str, Any]) -> Fields:
    return {name: value for name, value in fields.items() if value is not None and value is not _GONE}


def _hide(fields: Fields, paths: list[list[str]]) -> Fields:
    """Leaves out sensitive values, by their paths, and missing fields."""

    def hidden(value: Any, path: list[str]) -> Any:
        if isinstance(value, list):
            return [hidden(one, path) for one in value]
        if not isinstance(value, dict) or value.get(path[0]) is None:
            return value
        return {**value, path[0]: "***" if len(path) == 1 else hidden(value[path[0]], path[1:])}

    return functools.reduce(hidden, paths, _present(fields))


class _Existing(Exception):
    """Ends an operation that does nothing because the entity exists."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self.fields = fields


class _Copy:
    """A mirror, a fanout or a counter: writes that follow from those of an entity."""

    def __init__(self, said: Fields, kinds: dict[str, _Kind]) -> None:
        self.said = said
        self.name: str = said["name"]
        self.source = kinds[said["from"]]
        self.to = kinds[said["to"]]
        self.is_counter = "numbers" in said

    def holds(self, scope: _Scope) -> bool:
        return "when" not in self.said or bool(_evaluate(self.said["when"], scope))

    def targets(self, scope: _Scope) -> list[Fields]:
        """Returns the entities that there must be."""
        if not self.holds(scope):
            return []
        if "each" not in self.said:
            return [self.made(scope)]
        element = self.said["element"]
        every = scope.it.get(self.said["each"]) or []
        return [self.made(dataclasses.replace(scope, names={element: one})) for one in every]

    def made(self, scope: _Scope) -> Fields:
        return {name: _evaluate(rule, scope) for name, rule in self.said["fields"].items()}

    def count(self, scope: _Scope) -> tuple[Fields, Fields] | None:
        """Returns the key fields of the entity that counts, and the numbers to add."""
        if not self.holds(scope):
            return None
        return self.made(scope), {name: _evaluate(rule, scope) for name, rule in self.said["numbers"].items()}


class _Attempt:
    """One transaction in the making."""

    def __init__(self, db: _Direct, params: Fields, without: set[str]) -> None:
        self.db = db
        self.without = without  # counters whose targets are missing
        self.names: Fields = {}
        self.scope = dataclasses.replace(db.scope(params), names=self.names)
        self.writes: dict[str, _Write] = {}
        self.items: dict[str, Fields | None] = {}  # each is read once, so that all steps see the same
        self.reads: list[Callable[[], None]] = []  # each adds its condition

    def run(self, operation: Fields) -> Fields | None:
        for read in operation["reads"]:
            self.names[read["name"]] = self.read(read)
        for step in operation["steps"]:
            for element in self.elements(step):
                if "each" in step:
                    self.names[step["element"]] = element
                taken = "when" not in step or _evaluate(step["when"], self.scope)
                result = self.take(step) if taken else {}
                if "as" in step:
                    self.names[step["as"]] = result
        return dict(self.names[operation["returns"]]) if "returns" in operation else None

    def elements(self, step: Fields) -> list[Any]:
        if "each" not in step:
            return [None]
        wanted = _DESIGN["patterns"][step["each"]]["params"]
        given = {name: value for name, value in self.scope.params.items() if name in wanted}
        if "given" in step:
            given = self.fields_of(step["given"])
        items: list[Any] = []
        token: str | None = None
        while True:
            page, token = self.db.page(step["each"], given, None, token)
            items += page
            if token is None:
                return items

    def fields_of(self, rules: Fields) -> Fields:
        return {name: _evaluate(rule, self.scope) for name, rule in rules.items()}

    def read(self, read: Fields) -> Mapping[str, Any]:
        kind, key_fields = self.db.kinds[read["entity"]], self.fields_of(read["key"])
        key, item, fields = self.stored(kind, key_fields)
        if item is None and read["required"]:
            raise _refused("NOT_FOUND", f"there is no {kind.name} {_plain_json(key_fields)}")
        used: set[str] = set()
        self.reads.append(lambda: self.guard(self.on("ConditionCheck", key), kind, item, used))
        return _View(fields, used)

    def take(self, step: Fields) -> Fields:
        kind, key_fields = self.db.kinds[step["entity"]], self.fields_of(step["key"])
        return {"put": self.put, "update": self.update, "delete": self.remove, "check": self.check}[step["kind"]](kind, key_fields, step)

    # ---- Steps

    def check(self, kind: _Kind, key_fields: Fields, step: Fields) -> Fields:
        write = self.on("ConditionCheck", kind.key(key_fields))
        must_look = bool(step["require"])
        _, item, fields = self.stored(kind, key_fields) if must_look else ({}, None, {})
        self.must(write, step.get("exists", True), kind, key_fields, step, [item] if must_look else [])
        if must_look:
            used: set[str] = set()
            self.require(step, _View(fields, used))
            self.reads.append(lambda: self.guard(write, kind, item, used))
        return {}

    def put(self, kind: _Kind, key_fields: Fields, step: Fields) -> Fields:
        """Writes a whole entity. Without `exists`, it replaces an existing one."""
        must_look = step.get("exists") is not False and self.must_look(kind, step)
        _, item, stored = self.stored(kind, key_fields) if must_look else ({}, None, {})
        stored = stored if item is not None else {}
        used: set[str] = set()
        self.require(step, _View(stored, used))
        given = {**key_fields, **self.changes(step, _View(stored, used))}
        for name, form in kind.fields.items():
            if form.get("auto") == "create" and name in stored:
                given[name] = _View(stored, used)[name]
        fields = self.completed(kind, given)
        write = self.on("Put", kind.key(fields))
        if "if_exists" in step:
            self.find_existing(kind, _present(given), fields, step)
        elif "exists" in step:
            self.must(write, step["exists"], kind, fields, step, [item] if must_look else [])
        if must_look:
            self.reads.append(lambda: self.guard(write, kind, item, used))
        return self.written(kind, write, stored, fields, used)

    def find_existing(self, kind: _Kind, given: Fields, wanted: Fields, step: Fields) -> None:
        """Ends the operation with the stored entity, if there is one; it must be the one that the step would put."""
        key, item, _ = self.stored(kind, wanted)
        write = self.on("Put", key)
        write.exists, write.is_sought = False, True
        if item is None:
            return

        def refuse(why: str) -> Refused:
            return _refused(step.get("otherwise", "ALREADY_EXISTS"), f"there is already a {kind.name} {_plain_json(key)}, {why}")

        found = kind.decode(item)
        if found is None:
            raise refuse("which is of another kind")
        if item.get(step["if_exists"].get("deleted", "")) is not None:
            raise refuse("which is deleted")
        for name in step["if_exists"]["same"]:
            if name in given and wanted.get(name) != found.get(name):
                raise refuse(f"with another {name}")
        raise _Existing(found)

    def update(self, kind: _Kind, key_fields: Fields, step: Fields) -> Fields:
        """Changes an existing entity. A field whose new value is missing stays unchanged."""
        key, item, stored = self.stored(kind, key_fields)
        write = self.on("Update", key)
        self.must(write, True, kind, key_fields, step, [item])
        used: set[str] = set()
        self.require(step, _View(stored, used))
        changes: Fields = {}
        for name, value in self.changes(step, _View(stored, used)).items():
            if value is not None:
                known = value is not _GONE and name in kind.fields
                changes[name] = _accept(name, kind.fields[name], value) if known else value
        self.compute(kind, changes, stored, used, step["occasion"])
        for name, value in changes.items():
            if name in kind.fields and kind.fields[name].get("stored") is not False:
                write.set[name] = None if value is _GONE else value
        self.reads.append(lambda: self.guard(write, kind, item, used))
        result = self.written(kind, write, stored, changes, used)
        for lifecycle in kind.states.values():
            held = (item or {}).get(lifecycle["attribute"])
            if held is not None and write.set.get(lifecycle["attribute"]) == held:
                del write.set[lifecycle["attribute"]]  # assigning a state is asking for a transition
        return result

    def remove(self, kind: _Kind, key_fields: Fields, step: Fields) -> Fields:
        key, item, stored = self.stored(kind, key_fields)
        write = self.on("Delete", key)
        if step.get("exists") is not False:
            self.must(write, True, kind, key_fields, step, [item])
        used: set[str] = set()
        self.require(step, _View(stored, used))
        for copy in self.db.copies:
            if copy.to is kind and copy.is_counter:
                used.update(copy.said["numbers"])  # no concurrent increments
        if item is not None:
            self.follow(kind, _View(stored, used), None)
            self.entail(kind, _View(stored, used), None, None)
            self.reads.append(lambda: self.guard(write, kind, item, used))
        return stored

    def require(self, step: Fields, it: Mapping[str, Any]) -> None:
        for rule, refusal, reason in step["require"]:
            if not _evaluate(rule, self.scope.of(it)):
                raise _refused(refusal, reason)

    def changes(self, step: Fields, it: Mapping[str, Any]) -> Fields:
        set_ = {name: _evaluate(rule, self.scope.of(it)) for name, rule in step["set"]}
        return {**set_, **{name: _GONE for name in step["remove"]}}

    # ---- Conditions

    def must_look(self, kind: _Kind, step: Fields) -> bool:
        """Returns whether the overwritten value matters."""
        is_created = any(form.get("auto") == "create" for form in kind.fields.values())
        has_dependents = any(copy.source is kind for copy in self.db.copies) or any(kind.name in one["of"] for one in _DESIGN["consequences"])
        return is_created or bool(step["require"] or kind.unique) or has_dependents

    def stored(self, kind: _Kind, key_fields: Fields) -> tuple[Fields, Fields | None, Fields]:
        key = kind.key(key_fields)
        name = _plain_json(key)
        if name not in self.items:
            self.items[name] = self.db.item(key)
        item = self.items[name]
        known = {one: _accept(one, kind.fields[one], value) for one, value in key_fields.items()
                 if one in kind.fields and one not in kind.days}
        return key, item, {**_present(known), **(kind.decode(item) or {})}

    def on(self, kind: str, key: Fields) -> _Write:
        name = _plain_json(key)
        found = self.writes.setdefault(name, _Write(kind, key))
        if found.kind == "ConditionCheck":
            found.kind = kind
        elif kind not in ("ConditionCheck", found.kind):
            raise Invalid(f"two steps would write the same item, {name}")
        return found

    def must(self, write: _Write, exists: bool, kind: _Kind, fields: Fields, step: Fields, item: list[Fields | None]) -> None:
        """Requires that the item exists, or is missing; with `item` it was read already."""
        reason = f"there is {'no' if exists else 'already a'} {kind.name} {_plain_json(kind.key(fields))}"
        refusal = _refused(step.get("otherwise", "NOT_FOUND" if exists else "ALREADY_EXISTS"), reason)
        if item and (item[0] is not None) != exists:
            raise refusal
        write.exists = exists
        if not item and write.refusal is None:
            write.refusal = refusal

    def guard(self, write: _Write, kind: _Kind, item: Fields | None, used: set[str]) -> None:
        write.exists = item is not None
        for name in sorted(used) if item is not None else []:
            attribute = kind.states[name]["attribute"] if name in kind.states else name
            if kind.fields.get(name, {}).get("stored") is not False:
                write.same[attribute] = (item or {}).get(attribute)

    # ---- Fields

    def completed(self, kind: _Kind, given: Fields) -> Fields:
        fields: Fields = {**kind.design.get("initial", {}), **_present(given)}
        for name, form in kind.fields.items():
            if "generate" in form and name not in fields:
                fields[name] = str(uuid.uuid4()) if form["generate"] == "uuid" else _ulid(self.scope.now)
            fields[name] = _accept(name, form, fields.get(name, form.get("default")))
        self.compute(kind, fields, {}, set(), "create")
        for name, form in kind.fields.items():
            if form.get("required") and fields.get(name) in (None, _GONE):
                raise Invalid(f"{name} is required", name)
        return _present(fields)

    def compute(self, kind: _Kind, changes: Fields, stored: Fields, used: set[str], occasion: str) -> None:
        """Computes the fields that depend on the changes, and no more."""
        for name, form in kind.fields.items():
            is_time = "auto" in form and (occasion == "create" or form["auto"] in ("update", occasion))
            is_given = occasion == "create" and form.get("auto") == "create" and changes.get(name) is not None
            if is_time and not is_given:
                changes[name] = _moment(form, self.scope.now)
        for name, rule in kind.design.get("computed", {}).items():
            with self.affected(changes, stored, used, occasion) as affected:
                value = _accept(name, kind.fields[name], kind.computed(rule, affected.scope))
                affected.apply = functools.partial(changes.__setitem__, name, _GONE if value is None else value)
        for name, rule in kind.design.get("when", {}).items():
            with self.affected(changes, stored, used, occasion) as affected:
                there = _evaluate(rule, affected.scope)
                value = changes.get(name) if name in changes else stored.get(name)
                given = value is not None and value is not _GONE
                if there and not given:
                    raise Invalid(f"{kind.name}.{name} is required", name)
                if not there and name in changes and given:
                    raise Invalid(f"{kind.name}.{name} may not be there", name)
                if not there:
                    affected.apply = functools.partial(changes.__setitem__, name, _GONE)
        for rule in kind.design.get("rules", []):
            with self.affected(changes, stored, used, occasion) as affected:
                if _has(affected.scope.it, rule["needs"]) and not _evaluate(rule["that"], affected.scope):
                    affected.apply = functools.partial(_refuse, rule["name"], f"{kind.name}.{rule['name']}: {rule['message']}")

    @contextlib.contextmanager
    def affected(self, changes: Fields, stored: Fields, used: set[str], occasion: str) -> Iterator["_Affected"]:
        """Runs a rule, and then what it decided, unless the rule read none of the changes."""
        read: set[str] = set()
        seen: set[str] = set()
        affected = _Affected(self.scope.of(_View(stored, read, changes, seen)))
        yield affected
        if occasion == "create" or seen & changes.keys():
            used |= read
            affected.apply()

    # ---- Dependent writes

    def written(self, kind: _Kind, write: _Write, stored: Fields, changes: Fields, used: set[str]) -> Fields:
        """Computes the index keys, and the dependent writes. Returns the fields that are then stored."""
        is_put = write.kind == "Put"
        before = None if is_put and not stored else _View(stored, used)
        fields = changes if is_put else _present({**stored, **changes})
        keys: Fields = {}
        for index in kind.design.get("indexes", []):
            with self.affected(changes, {} if is_put else stored, used, "create" if is_put else "index") as affected:
                made = kind.index_keys(index, affected.scope)
                affected.apply = functools.partial(keys.update, {name: made.get(name) for name in index["attributes"]})
        if is_put:
            attributes = {name: value for name, value in fields.items()
                          if kind.fields.get(name, {}).get("stored") is not False and name not in kind.states}
            write.item = {**kind.design.get("mark", {}), **attributes, **_present(keys), **write.key}
        else:
            write.set.update({name: value for name, value in keys.items() if name not in kind.fields})
        after: Mapping[str, Any] = fields if is_put else _View(stored, used, changes)
        self.follow(kind, before, after)
        self.entail(kind, before, after, None if is_put else changes)
        return fields

    def entail(self, kind: _Kind, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, changes: Fields | None) -> None:
        """Writes the new items that follow from a change. `changes` are the fields that may differ; without them, all may."""
        how = "create" if before is None else "delete" if after is None else "update"
        old, it = before or {}, after if after is not None else before or {}
        names = [*kind.fields, *(name for name in kind.states if name not in kind.fields)]
        for one in _DESIGN["consequences"]:
            if kind.name not in one["of"] or how not in one["on"]:
                continue
            deciding = [name for name in one["deciding"] or names if changes is None or name in changes]
            if how == "update" and all(old.get(name) == it.get(name) for name in deciding):
                continue
            change = {"entity": kind.name, "kind": how, "key": "|".join(_text(part) for part in kind.key(it).values())}
            seen: Fields = {"before": old, "after": after or {}, "change": change}
            scope = dataclasses.replace(self.scope.of(it), names=seen)
            if not one["reads_first"] and "when" in one and not _evaluate(one["when"], scope):
                continue
            for read in one["reads"]:
                key_fields = {name: _evaluate(rule, scope) for name, rule in read["key"].items()}
                seen[read["name"]] = self.related(self.db.kinds[read["entity"]], key_fields)
            if one["reads_first"] and "when" in one and not _evaluate(one["when"], scope):
                continue
            hidden = one["hidden"][kind.name]
            images = {name: None if image is None else _hide({one_: image.get(one_) for one_ in names}, hidden)
                      for name, image in (("before", before), ("after", after))}
            whole = dataclasses.replace(scope, names={**seen, **images})
            self.put_new(one, {name: _evaluate(rule, whole if is_whole else scope) for name, rule, is_whole in one["set"]})

    def put_new(self, consequence: Fields, given: Fields) -> None:
        to: _Kind = self.db.kinds[consequence["to"]]
        fields = self.completed(to, given)
        write = self.on("Put", to.key(fields))
        reason = f"there is already the {to.name} {_plain_json(write.key)} that the consequence {consequence['name']} would write"
        refusal = _refused("ALREADY_EXISTS", reason)
        if write.item:
            raise refusal
        write.exists, write.refusal = False, refusal
        self.written(to, write, {}, fields, set())

    def related(self, kind: _Kind, key_fields: Fields) -> Mapping[str, Any]:
        """Reads an item for a consequence: the stored one, or the one that an earlier step puts."""
        if None in key_fields.values():
            return {}
        key, item, fields = self.stored(kind, key_fields)
        made = self.writes.get(_plain_json(key))
        if item is None and made is not None and made.kind == "Put":
            return kind.decode(made.item) or {}
        used: set[str] = set()
        self.reads.append(lambda: self.guard(self.on("ConditionCheck", key), kind, item, used))
        return {} if item is None else _View(fields, used)

    def follow(self, kind: _Kind, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        old_scope = None if before is None else self.scope.of(before)
        new_scope = None if after is None else self.scope.of(after)
        for copy in self.db.copies:
            if copy.source is not kind:
                continue
            if not copy.is_counter:
                self.copy_to(copy.to, *(copy.targets(scope) if scope else [] for scope in (old_scope, new_scope)))
            elif copy.name not in self.without:
                for scope, sign in ((old_scope, -1), (new_scope, 1)):
                    counted = copy.count(scope) if scope else None
                    if counted is not None:
                        self.count(copy, *counted, sign)
        for unique in kind.unique:
            self.claim(kind, unique, before, after)

    def claim(self, kind: _Kind, unique: Fields, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Moves the record that holds a unique value."""
        field, parts = unique["field"], [*unique["within"], unique["field"]]

        def name_of(it: Mapping[str, Any] | None) -> str | None:
            if it is None or not _has(it, parts):
                return None
            # The separator may occur in the parts, too.
            return "#".join([f"{kind.name}.{field}", *(_record_part(_text(it[one])) for one in parts)])

        old, wanted = name_of(before), name_of(after)
        if old == wanted:
            return
        if old is not None:
            self.on("Delete", _record_key("$unique", old))
        if wanted is not None and after is not None:
            write = self.on("Put", _record_key("$unique", wanted))
            write.item, write.exists = {**write.key, "of": kind.key(after)}, False
            said = f"same {field}" if kind.fields[field].get("sensitive") else f"{field} {_text(after[field])}"
            write.refusal = _refused(unique["otherwise"], f"another {kind.name} has the {said}")

    def copy_to(self, to: _Kind, before: list[Fields], after: list[Fields]) -> None:
        old, wanted = ({_plain_json(to.key(fields)): fields for fields in all_} for all_ in (before, after))
        for name, fields in old.items():
            if name not in wanted and name not in self.writes:
                self.on("Delete", to.key(fields))
        for name, fields in wanted.items():
            if _present(fields) != _present(old.get(name, {})):
                complete = self.completed(to, fields)
                self.written(to, self.on("Put", to.key(complete)), {}, complete, set())

    def count(self, copy: _Copy, key_fields: Fields, numbers: Fields, sign: int) -> None:
        key = copy.to.key(key_fields)
        found = self.writes.get(_plain_json(key))
        if found is not None and found.kind == "Delete":
            return
        write = found if found is not None and found.kind == "Put" else self.on("Update", key)
        into = write.item if write.kind == "Put" else write.add
        for name, number in numbers.items():
            into[name] = _sum("+", into.get(name, 0), _sum("*", number or 0, sign))
        if copy.said.get("creates") and sign > 0 and write.kind == "Update":  # sets what an item has that does not exist yet
            made = _Write("Put", key)
            self.written(copy.to, made, {}, self.completed(copy.to, {**key_fields, **{name: 0 for name in numbers}}), set())
            write.set.update({name: value for name, value in made.item.items() if name not in numbers and name not in key})
            return
        write.exists = True if write.exists is None else write.exists
        # A deleted target need not be counted down; a new contribution needs its target.
        if sign < 0:
            write.counter = copy.name
        elif write.refusal is None:
            write.refusal = _refused("NOT_FOUND", f"there is no {copy.to.name} {_plain_json(key)}")

    # ---- The transaction

    def remember(self, key: Fields, given: str, result: Fields | None) -> None:
        """Records that the operation was done, and its result."""
        write = self.on("Put", key)
        write.item, write.exists = {**key, "given": given, "result": _present(result or {})}, False

    def commit(self) -> bool:
        """Returns whether it happened; otherwise an item changed concurrently."""
        for add in self.reads:
            add()
        writes = list(self.writes.values())
        if len(writes) > 100:
            raise _refused("TOO_MANY", f"it would write {len(writes)} items")
        if not writes:
            return True
        hash_key = _DESIGN["table"]["keys"][0]["name"]
        try:
            self.db.client.transact_write_items(TransactItems=[write.request(self.db.table, hash_key) for write in writes])
        except Exception as error:
            response = getattr(error, "response", {})
            if response.get("Error", {}).get("Code") != "TransactionCanceledException":
                raise
            failed = list(zip(writes, response.get("CancellationReasons", [])))
            if any(write.is_sought and reason.get("Code") == "ConditionalCheckFailed" for write, reason in failed):
                return False
            for write, reason in failed:
                self.look_at(reason, write, error)
            return False
        return True

    def look_at(self, reason: Fields, write: _Write, error: Exception) -> None:
        """Raises the refusal that a transaction was cancelled for, if it is one."""
        message: str = reason.get("Message", "")
        if reason.get("Code") == "ValidationError":
            # A server that governs the table says: "Tavola: Product.unitPrice must be ≥ 0 [shop.yaml:83]", or names a
            # rule of the entity: "Tavola: Booking.endsAfterStart: The end must be after the start. [hotel.yaml:12]".
            if rule := re.match(r"Tavola: \w+\.(\w+): ", message):
                raise _refused(rule.group(1), message)
            governed = re.match(r"Tavola: (?:\w+\.(\w+) )?", message)
            raise Invalid(message, governed.group(1)) if governed else error
        if reason.get("Code") != "ConditionalCheckFailed":
            return
        if write.counter is not None and write.refusal is None:
            self.without.add(write.counter)
        if write.refusal is not None and not write.same:
            raise write.refusal


@dataclasses.dataclass
class _Affected:
    scope: _Scope
    apply: Callable[[], object] = lambda: None


def _record_part(text: str) -> str:
    """Escapes the separator of a record's name."""
    return text.replace("%", "%25").replace("#", "%23")


def _record_name(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else f'{{"N":"{_text(value)}"}}'


def _record_key(kind: str, name: str) -> Fields:
    hash_, *range_ = (key["name"] for key in _DESIGN["table"]["keys"])
    return {hash_: f"{kind}#{name}", **{key: kind for key in range_}}


def _perform_directly(db: _Direct, name: str, given: Fields) -> Fields | None:
    """Runs an operation until it happens or is refused."""
    operation: Fields = _DESIGN["operations"][name]
    params = db.accepted(operation["params"], given)
    by = params.get(operation.get("once", ""))
    scoped = [_record_part(_record_name(params.get(one))) for one in operation.get("within", [])]
    said = f"{name}/{'#'.join([*scoped, _record_part(_record_name(by))])}" if scoped else f"{name}#{_record_name(by)}"
    once = None if by is None else _record_key("$once", said)
    fingerprint = hashlib.sha256(_plain_json(given).encode()).hexdigest()
    without: set[str] = set()
    for tries in range(100):
        record = None if once is None else db.item(once)
        if record is not None:
            if record.get("given") != fingerprint:
                raise _refused("DIFFERENT_REQUEST", "it was done before with other parameters")
            return db.kinds[operation["entity"]].read(record["result"]) if "entity" in operation else None
        attempt = _Attempt(db, params, without)
        try:
            result = attempt.run(operation)
        except _Existing as found:
            return found.fields
        if once is not None:
            attempt.remember(once, fingerprint, result)
        if attempt.commit():
            return result
        time.sleep(random.uniform(0, min(500, 2**tries)) / 1000)
    raise RuntimeError("others write the same items at the same time")
