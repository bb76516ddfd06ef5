"""What a pattern makes of the items that its requests find: the rows of `aggregate`, the items that `follow` names.
Written from docs/DESIGN-LANGUAGE.md, as a second opinion on the program; it knows what the designs use.
"""
import ast
import datetime
import decimal
import re
import zoneinfo

PLACEHOLDER = re.compile(r"<(\w+)(?::\w+)?>")


# ---- Aggregates ----

def rows(pattern, items, parameters, limit=None):
    """Returns the rows of an aggregate."""
    defaults = {name: about.get("default") for name, about in pattern.get("params", {}).items()}
    if "zone" in defaults and "zone" not in parameters:
        parameters = parameters | {"zone": ast.literal_eval(defaults["zone"])}
    by = pattern.get("by", {})
    if isinstance(by, list):
        by = {name: name for name in by}
    groups = {} if by else {(): []}
    for item in items:
        group = tuple(value_of(parsed(said), item | parameters) for said in by.values())
        groups.setdefault(group, []).append(item | parameters)
    found = []
    for group in sorted(groups, key=lambda group: [(value is not None, value) for value in group]):
        measures = {name: measure(parsed(said), groups[group]) for name, said in pattern["compute"].items()}
        row = dict(zip(by, group)) | measures
        found.append({name: value for name, value in row.items() if value is not None})
    if "order" in pattern:
        field, _, direction = pattern["order"].partition(" ")
        found.sort(key=lambda row: (field in row, row.get(field)), reverse=direction == "desc")
    most = min(int(most) for most in (limit, pattern.get("limit"), len(found)) if most is not None)
    return found[:most]


def parsed(said):
    """Returns an expression, which Python understands if `:name` is written as a name."""
    return ast.parse(re.sub(r":(\w)", r"\1", said), mode="eval").body


def measure(tree, items):
    name = tree.func.id
    if name == "round":
        exact = measure(tree.args[0], items)
        return None if exact is None else rounded(exact, ast.literal_eval(tree.args[1]))
    if name == "count" and not tree.args:
        return len(items)
    values, *others = ([value for item in items if (value := value_of(argument, item)) is not None]
                       for argument in tree.args)
    if name == "avg":
        number = sum(others[0]) if others else len(values)
        return rounded(sum(values) / decimal.Decimal(number), 10) if number else None
    if name in ("count", "sum"):
        return len(values) if name == "count" else sum(values)
    return {"min": min, "max": max}[name](values, default=None)


def value_of(tree, fields):
    """Returns the value of an expression over fields; None if one is missing."""
    if isinstance(tree, ast.Name):
        return fields.get(tree.id)
    if isinstance(tree, ast.Constant):
        return tree.value
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        sides = value_of(tree.left, fields), value_of(tree.right, fields)
        return None if None in sides else sides[0] * sides[1]
    if isinstance(tree, ast.Call) and tree.func.id == "day":
        moment, zone = (value_of(argument, fields) for argument in tree.args)
        return datetime.datetime.fromisoformat(moment).astimezone(zoneinfo.ZoneInfo(zone)).date().isoformat()
    raise AssertionError(f"an expression that the tests do not know: {ast.unparse(tree)}")


def rounded(number, digits):
    return decimal.Decimal(number).quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_HALF_UP)


# ---- References ----

def followed(pattern, design, item):
    """Returns the key of the item that a reference of `item` names."""
    entity = design["entities"][pattern.get("query") or pattern["scan"]]
    field = pattern["follow"]
    about = entity.get("ids", {}).get(field) or entity["attributes"][field]
    fields = {**item}
    for attribute, template in entity["key"].items():  # some fields are only in the key
        form = PLACEHOLDER.sub(r"(?P<\1>.+)", template)
        fields |= re.fullmatch(form, item[attribute]).groupdict()
    return {attribute: PLACEHOLDER.sub(lambda found: fields.get(found[1], fields[field]), template)
            for attribute, template in design["entities"][about["ref"]]["key"].items()}
