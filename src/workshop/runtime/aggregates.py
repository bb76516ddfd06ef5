# ---- Aggregates ----

_GROUPS_MAX = 10_000
_AVERAGE_DIGITS = 10


class _Partial:
    """The part of a measure that is known so far."""

    def __init__(self) -> None:
        self.count = 0
        self.sum: Any = 0
        self.per: Any = 0
        self.extreme: Any = None

    def add(self, measure: Fields, scope: _Scope) -> None:
        value = _evaluate(measure["of"], scope) if "of" in measure else 1
        per = _evaluate(measure["per"], scope) if "per" in measure else 1
        if value is None or per is None:
            return
        self.count += 1
        function = measure["function"]
        if function in ("min", "max"):
            if not isinstance(value, str) and not _is_number(value) or isinstance(self.extreme, str) != isinstance(value, str) and self.extreme is not None:
                raise Invalid(f"{measure['name']}: {function} needs numbers, or texts, and not both")
            first = self.extreme is None or _order_of(value) < _order_of(self.extreme)
            if self.extreme is None or first == (function == "min"):
                self.extreme = value
        elif function != "count":
            if not _is_number(value) or not _is_number(per):
                raise Invalid(f"{measure['name']}: {function} needs numbers")
            self.sum = _sum("+", self.sum, value)
            self.per = _sum("+", self.per, per)

    def result(self, measure: Fields) -> Any:
        function = measure["function"]
        if function == "count":
            return self.count
        if function == "avg":
            quotient = None if self.per == 0 else _sum("/", self.sum, self.per)
            return None if quotient is None else _round(quotient, measure.get("digits", _AVERAGE_DIGITS))
        value = self.sum if function == "sum" else self.extreme
        return _round(value, measure["digits"]) if "digits" in measure and _is_number(value) else value


def _order_of(value: Any) -> tuple[int, Any]:
    """A missing value comes first, then numbers, then texts."""
    if value is None:
        return 0, 0
    if _is_number(value):
        return 1, Decimal(value)
    return (2, value.encode()) if isinstance(value, str) else (3, _plain_json({"": value}))


def _rows(pattern: Fields, items: Iterable[Fields], scope: _Scope, limit: int | None) -> list[Fields]:
    """Returns the rows that are computed from the items, in the pattern's order."""
    measures: list[Fields] = pattern["compute"]
    groups: dict[str, tuple[Fields, list[_Partial]]] = {}
    if not pattern["by"]:
        groups["{}"] = ({}, [_Partial() for _ in measures])
    for item in items:
        of = scope.of(item)
        values = {name: _evaluate(rule, of) for name, rule in pattern["by"].items()}
        key = _plain_json(_present(values))
        if key not in groups and len(groups) == _GROUPS_MAX:
            raise Invalid(f"there are more than {_GROUPS_MAX} groups; ask for fewer items, or group them by something with fewer values")
        _, partials = groups.setdefault(key, (values, [_Partial() for _ in measures]))
        for measure, partial in zip(measures, partials):
            partial.add(measure, of)
    rows = [{**values, **{one["name"]: partial.result(one) for one, partial in zip(measures, partials)}} for values, partials in groups.values()]
    order, backwards = pattern.get("order", ""), pattern.get("backwards", False)
    rows.sort(key=lambda row: [_order_of(row.get(name)) for name in pattern["by"]], reverse=backwards and not order)
    if order:
        rows.sort(key=lambda row: _order_of(row.get(order)), reverse=backwards)
    return rows if limit is None else rows[:limit]
