# ---- Rules, as trees: ["is", "<", left, right], ["call", "now"], ["it", "name"], ["param", "name"], ["value", 1] ----


@dataclasses.dataclass
class _Scope:
    """The meaning of the names in a rule."""

    it: Mapping[str, Any]
    params: Mapping[str, Any]
    names: Mapping[str, Any]  # items that were read, results of steps, elements of lists
    now: int
    caller: str | None = None
    core_domain: Callable[[str], str] | None = None

    def of(self, it: Mapping[str, Any]) -> "_Scope":
        return dataclasses.replace(self, it=it)


def _walked(value: Any, path: list[Any]) -> Any:
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


# The functions that need all their operands.
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "begins_with": lambda value, start: isinstance(value, str) and isinstance(start, str) and value.startswith(start),
    "contains": lambda value, one: one in value if isinstance(value, (str, list, set, frozenset)) else False,
    "size": lambda value: len(value.encode() if isinstance(value, str) else value),
    "iso": _iso,
    "ms": _ms,
    "seconds": lambda time: _as_int(time) // 1000,
    "lower": _lower,
    "upper": _upper,
    "concat": lambda *parts: "".join(_text(part) for part in parts),
    "sha256": lambda value: hashlib.sha256(_text(value).encode()).hexdigest(),
    "md5": lambda value: hashlib.md5(_text(value).encode()).hexdigest(),
    "text": _text,
    "number": _number,
    "negate": lambda value: _sum("-", 0, value),
    "hostname": _hostname,
    "substring": _substring,
    "round": _round,
    "date": _day,
    "day": _day,
    "week": _week,
    "month": _month,
    "start_of": _start_of,
    "end_of": _end_of,
}


def _called(name: str, operands: list[Any], scope: _Scope) -> Any:
    if name == "attribute_exists":
        return operands[0] is not None
    if name == "attribute_not_exists":
        return operands[0] is None
    if name in ("first", "if_not_exists"):
        return next((one for one in operands if one is not None), None)
    if name == "join":
        separator, *parts = operands
        there = any(part is not None for part in parts)
        return separator.join(_text(part) or "" for part in parts) if there else None
    if name == "list_append":
        return [*(operands[0] or []), *(operands[1] or [])]
    if name == "now":
        return scope.now
    if name == "caller":
        return scope.caller
    if name == "uuid":
        return str(uuid.uuid4())
    if name == "ulid":
        return _ulid(scope.now)
    if any(one is None for one in operands):
        return False if name in ("begins_with", "contains") else None
    if name == "core_domain":
        if scope.core_domain is None:
            raise Invalid("this design needs connect(..., core_domain=...)")
        return scope.core_domain(operands[0])
    return _sum(name, *operands) if name in ("+", "-", "*", "/") else _FUNCTIONS[name](*operands)


def _evaluate(rule: list[Any], scope: _Scope) -> Any:
    kind, *rest = rule
    if kind == "value":
        return rest[0]
    if kind == "it":
        return _walked(scope.it.get(rest[0]), rest[1:])
    if kind == "name":
        return _walked(scope.names.get(rest[0]), rest[1:])
    if kind == "param":
        return scope.params.get(rest[0])
    if kind == "and":
        return all(_evaluate(term, scope) for term in rest)
    if kind == "or":
        return any(_evaluate(term, scope) for term in rest)
    if kind == "not":
        return not _evaluate(rest[0], scope)
    if kind == "is":
        return _is(_evaluate(rest[1], scope), rest[0], _evaluate(rest[2], scope))
    if kind == "call":
        return _called(rest[0], [_evaluate(one, scope) for one in rest[1:]], scope)
    value, *others = (_evaluate(one, scope) for one in rest)
    if kind == "between":
        return _is(value, ">=", others[0]) and _is(value, "<=", others[1])
    return any(_is(value, "=", one) for one in others)  # "in"


def _reads_fields(rule: Any) -> bool:
    return isinstance(rule, list) and rule != [] and (rule[0] == "it" or (rule[0] != "value" and any(map(_reads_fields, rule))))


@dataclasses.dataclass
class _Expression:
    """Collects the names and values of one request while its expressions are written."""

    names: dict[str, str] = dataclasses.field(default_factory=dict)
    values: Fields = dataclasses.field(default_factory=dict)

    def name(self, attribute: str) -> str:
        return self.names.setdefault(attribute, f"#n{len(self.names)}")

    def value(self, value: Any) -> str:
        alias = f":v{len(self.values)}"
        self.values[alias] = _to_wire(value)
        return alias

    def lower(self, rule: list[Any], scope: _Scope) -> str:
        """Writes a rule as an expression of DynamoDB; parts that read no field become values."""
        kind, *rest = rule
        if kind == "and":
            return " AND ".join(self.lower(term, scope) for term in rest)
        if kind == "or":
            return "(" + " OR ".join(self.lower(term, scope) for term in rest) + ")"
        if kind == "not":
            return f"NOT ({self.lower(rest[0], scope)})"
        if kind == "is":
            return f"{self.lower(rest[1], scope)} {rest[0]} {self.lower(rest[2], scope)}"
        if kind == "between":
            return "{} BETWEEN {} AND {}".format(*(self.lower(one, scope) for one in rest))
        if kind == "in":
            value, *candidates = (self.lower(one, scope) for one in rest)
            return f"{value} IN ({', '.join(candidates)})"
        if not _reads_fields(rule):
            return self.value(_evaluate(rule, scope))
        if kind == "call":
            return f"{rest[0]}({', '.join(self.lower(one, scope) for one in rest[1:])})"
        first, *path = rest
        return self.name(first) + "".join(f"[{step}]" if isinstance(step, int) else "." + self.name(step) for step in path)

    def request(self) -> Fields:
        names = {alias: attribute for attribute, alias in self.names.items()}
        request: Fields = {"ExpressionAttributeNames": names} if names else {}
        return {**request, "ExpressionAttributeValues": self.values} if self.values else request
