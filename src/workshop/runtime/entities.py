# ---- Items on the wire ----


def _to_wire(value: Any) -> Fields:
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if _is_number(value):
        return {"N": _written(value)}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, (bytes, bytearray)):
        return {"B": bytes(value)}
    if isinstance(value, Mapping):
        return {"M": {name: _to_wire(one) for name, one in value.items() if one is not None}}
    if isinstance(value, (list, tuple)):
        return {"L": [_to_wire(one) for one in value]}
    if isinstance(value, (set, frozenset)):
        (type_,) = {next(iter(_to_wire(one))) for one in value}
        return {type_ + "S": [_to_wire(one)[type_] for one in sorted(value, key=_order)]}
    raise Invalid(f"{value!r} cannot be stored; use int or Decimal for numbers")


def _from_wire(value: Fields) -> Any:
    ((type_, content),) = value.items()
    if type_ == "N":
        return Decimal(content)
    if type_ == "M":
        return {name: _from_wire(one) for name, one in content.items()}
    if type_ == "L":
        return [_from_wire(one) for one in content]
    if type_ in ("SS", "NS", "BS"):
        return {_from_wire({type_[0]: one}) for one in content}
    return None if type_ == "NULL" else content


def _item_to_wire(item: Mapping[str, Any]) -> Fields:
    return {name: _to_wire(value) for name, value in item.items() if value is not None}


# ---- Entities as items ----


class _Kind:
    """The items of an entity, as the design describes them."""

    def __init__(self, name: str, design: Fields) -> None:
        self.name = name
        self.design: Fields = design["entities"][name]
        self.fields: Fields = self.design["fields"]
        self.states: Fields = self.design.get("states", {})
        self.unique: list[Fields] = self.design.get("unique", [])
        self.keys: list[tuple[str, str, list[Any]]] = [
            (key["name"], key["type"], self.design[key["of"]]) for key in design["table"]["keys"]
        ]
        self.days = {part["field"] for _, _, template in self.keys for part in template
                     if not isinstance(part, str) and part.get("as") == "date"}  # the key shows their day
        self.readers = [(name, _reader(template)) for name, _, template in self.keys]
        self.state_readers = {
            name: {state: _reader(template) for state, template in lifecycle["keys"].items()}
            for name, lifecycle in self.states.items()
        }

    def key(self, fields: Mapping[str, Any]) -> Fields:
        return {name: _rendered(template, fields, type_) for name, type_, template in self.keys}

    def decode(self, item: Fields | None) -> Fields | None:
        """Returns the fields of an item; None if it is of another kind."""
        if item is None:
            return None
        in_keys: dict[str, str] = {}
        for name, reader in self.readers:
            found = reader(item.get(name))
            if found is None:
                return None
            in_keys.update(found)
        entity = _read_all(self.fields, item)
        for name, form in self.fields.items():
            if name in in_keys and (form.get("stored") is False or name not in entity):
                entity[name] = _read_key(form, in_keys[name])
        for name, lifecycle in self.states.items():
            held = item.get(lifecycle["attribute"])
            fits = (state for state, reader in self.state_readers[name].items() if reader(held) is not None)
            entity[name] = next(fits, self.design["initial"][name])
        return entity

    def read(self, fields: Fields) -> Fields:
        """Returns an entity that was recorded, or sent as JSON: its fields and its states."""
        return {**_read_all(self.fields, fields), **{name: fields[name] for name in self.states if name in fields}}

    def index_keys(self, index: Fields, scope: _Scope) -> Fields:
        needed = [name for _, _, template in index["keys"] for name in _needed(template)]
        keys: Fields = {}
        if _has(scope.it, needed) and ("when" not in index or _evaluate(index["when"], scope)):
            keys = {name: _rendered(template, scope.it, type_) for name, type_, template in index["keys"]}
        if "state" in index:
            attribute, lifecycle = index["state"]
            template = self.states[lifecycle]["keys"].get(scope.it.get(lifecycle))
            keys[attribute] = _rendered(template, scope.it) if template is not None else None
        return keys

    def computed(self, rule: Fields, scope: _Scope) -> Any:
        if "rule" in rule:
            return _evaluate(rule["rule"], scope)
        return _rendered(rule["template"], scope.it, rule["type"]) if _has(scope.it, _needed(rule["template"])) else None


# ---- Patterns ----


class _Direct:
    """Direct requests to the table, with boto3."""

    def __init__(self, client: Any, table: str, options: Fields) -> None:
        self.client = client
        self.table = table
        self.caller: str | None = options["caller"]
        self.core_domain: Callable[[str], str] | None = options["core_domain"]
        self.clock: Callable[[], float] = options["now"]
        self.kinds = {name: _Kind(name, _DESIGN) for name in _DESIGN["entities"]}
        self.copies = [_Copy(copy, self.kinds) for copy in _DESIGN["copies"]]

    def scope(self, params: Mapping[str, Any], it: Mapping[str, Any] | None = None) -> _Scope:
        now = int(self.clock() * 1000)
        return _Scope({} if it is None else it, params, {}, now, self.caller, self.core_domain)

    def accepted(self, forms: Fields, given: Fields) -> Fields:
        """Returns the parameters, with their defaults."""
        values = {name: value for name, value in given.items() if value is not None}
        for name, form in forms.items():  # a default may use the parameters before it
            if "rule" in form and name not in values:
                values[name] = _evaluate(form["rule"], self.scope(values))
        return _accept_all(forms, values)

    def item(self, key: Fields, consistent: bool = True) -> Fields | None:
        found = self.client.get_item(TableName=self.table, Key=_item_to_wire(key), ConsistentRead=consistent)
        return {name: _from_wire(value) for name, value in found["Item"].items()} if "Item" in found else None

    def get(self, name: str, given: Fields) -> Fields | None:
        pattern: Fields = _DESIGN["patterns"][name]
        params = self.accepted(pattern["params"], given)
        kind = self.kinds[pattern["entity"]]
        found = kind.decode(self.item(kind.key(params), pattern.get("consistent", False)))
        if found is None or "filter" not in pattern:
            return found
        return found if _evaluate(pattern["filter"], self.scope(params, found)) else None

    def page(self, name: str, given: Fields, limit: int | None, token: str | None) -> tuple[list[Fields], str | None]:
        pattern: Fields = _DESIGN["patterns"][name]
        request = self.request(pattern, self.accepted(pattern["params"], given))
        limit = pattern.get("limit") if limit is None else limit
        if limit is not None and limit < 1:
            raise Invalid("limit must be at least 1", "limit")
        ask = self.client.query if "KeyConditionExpression" in request else self.client.scan
        start = None if token is None else _key_of(token)
        items: list[Fields] = []
        while True:  # a filter can leave any number of items out
            place = {} if start is None else {"ExclusiveStartKey": start}
            found = ask(**request, **place, **({} if limit is None else {"Limit": limit - len(items)}))
            for item in found["Items"]:
                entity = self.kinds[pattern["entity"]].decode({one: _from_wire(value) for one, value in item.items()})
                items += [] if entity is None else [entity]
            start = found.get("LastEvaluatedKey")
            if start is None or len(items) >= (1 if limit is None else limit):
                next_ = None if start is None else _token_of(start)
                return self.followed(items, pattern) if "follow" in pattern else items, next_

    def followed(self, sources: list[Fields], pattern: Fields) -> list[Fields]:
        """Returns the entities that a reference in each of the sources names, in their order; missing ones are left out."""
        to: Fields = pattern["follow"]
        kind = self.kinds[to["entity"]]
        keys = [_item_to_wire(kind.key({name: one[source] for name, source in to["key"].items()}))
                for one in sources if one.get(to["field"]) is not None]
        found = self.batch_get(keys, pattern.get("consistent", False))
        items = [found.get(_token_of(key)) for key in keys]
        there = [item for item in items if item is not None and item.get(to.get("hidden", "")) is None]
        return [entity for entity in map(kind.decode, there) if entity is not None]

    def batch_get(self, keys: list[Fields], consistent: bool) -> dict[str, Fields]:
        """Returns the items by their keys; missing ones are left out."""
        rest = list({_token_of(key): key for key in keys}.values())
        found: dict[str, Fields] = {}
        for attempt in range(len(rest) // 100 + 20):
            if not rest:
                return found
            part = {"Keys": rest[:100], "ConsistentRead": consistent}
            answer = self.client.batch_get_item(RequestItems={self.table: part})
            for item in answer["Responses"].get(self.table, []):
                found[_token_of({name: item[name] for name in rest[0]})] = {name: _from_wire(value) for name, value in item.items()}
            unprocessed = answer.get("UnprocessedKeys", {}).get(self.table, {}).get("Keys", [])
            rest = rest[100:] + unprocessed
            if unprocessed:
                time.sleep(min(0.5, 0.001 * 2**attempt) * random.uniform(0.5, 1))
        raise RuntimeError(f"{self.table} left keys unprocessed; try again later")

    def rows(self, name: str, given: Fields, limit: int | None) -> list[Fields]:
        pattern: Fields = _DESIGN["patterns"][name]
        params = self.accepted(pattern["params"], given)
        limit = pattern.get("limit") if limit is None else limit
        if limit is not None and limit < 1:
            raise Invalid("limit must be at least 1", "limit")
        rows = _rows(pattern, self.every(pattern["over"], params), self.scope(params), limit)
        return [_read_all(pattern["row"], row) for row in rows]

    def every(self, name: str, params: Fields) -> Iterator[Fields]:
        """Returns everything that a pattern finds, page by page."""
        pattern: Fields = _DESIGN["patterns"][name]
        given = {one: params.get(one) for one in pattern["params"]}
        if "parts" in pattern:
            for part in pattern["parts"]:
                yield from self.every(part, params)
        elif pattern.get("get"):
            found = self.get(name, given)
            yield from [] if found is None else [found]
        else:
            token: str | None = None
            while True:
                items, token = self.page(name, given, None, token)
                yield from items
                if token is None:
                    return

    def request(self, pattern: Fields, params: Fields) -> Fields:
        scope = self.scope(params)
        expression = _Expression()
        request: Fields = {"TableName": self.table}
        if "hash" in pattern:
            name, type_, template = pattern["hash"]
            condition = f"{expression.name(name)} = {expression.value(_rendered(template, params, type_))}"
            if "range" in pattern:
                condition += " AND " + self.range(pattern["range"], params, expression)
            request["KeyConditionExpression"] = condition
        if "filter" in pattern:
            request["FilterExpression"] = expression.lower(pattern["filter"], scope)
        if "index" in pattern:
            request["IndexName"] = pattern["index"]
        if pattern.get("backwards"):
            request["ScanIndexForward"] = False
        if pattern.get("consistent"):
            request["ConsistentRead"] = True
        return {**request, **expression.request()}

    @staticmethod
    def range(said: Fields, params: Fields, expression: _Expression) -> str:
        name = expression.name(said["name"])
        first = expression.value(_rendered(said["first"], params, said["type"]))
        if said["op"] == "begins_with":
            return f"begins_with({name}, {first})"
        if said["op"] not in ("between", "through"):
            return f"{name} {said['op']} {first}"
        last = _rendered(said.get("second", said["first"]), params, said["type"])
        # No text with the same beginning sorts after the greatest character.
        is_open = said["op"] == "through" and said["type"] == "S"
        return f"{name} BETWEEN {first} AND {expression.value(last + chr(0x10FFFF) if is_open else last)}"

    def perform(self, name: str, given: Fields) -> Fields | None:
        return _perform_directly(self, name, given)


def _token_of(key: Fields) -> str:
    """Returns a key as JSON in base64url: its attributes with their types."""
    typed = [[name, type_, base64.b64encode(one).decode() if type_ == "B" else one]
             for name, value in key.items() for type_, one in value.items()]
    return base64.urlsafe_b64encode(json.dumps(typed).encode()).decode()


def _key_of(token: str) -> Fields:
    try:
        typed = json.loads(base64.urlsafe_b64decode(token))
        return {name: {type_: base64.b64decode(one) if type_ == "B" else one} for name, type_, one in typed}
    except ValueError:
        raise Invalid("token must be the `next` of another page", "token") from None
