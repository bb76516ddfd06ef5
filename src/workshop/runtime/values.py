# ---- Values. A result of a missing value is missing ----

Fields = dict[str, Any]
_EXACT = decimal.Context(prec=38, rounding=decimal.ROUND_HALF_EVEN, traps=[])


def _is_number(value: Any) -> bool:
    return value.is_finite() if isinstance(value, Decimal) else isinstance(value, int) and not isinstance(value, bool)


def _written(number: int | Decimal) -> str:
    """Writes a number as DynamoDB does: without an exponent, and without trailing zeros."""
    exact = Decimal(number).normalize(_EXACT)
    if exact != number:
        raise Invalid(f"{number} has more than 38 digits")
    return format(exact if exact else Decimal(0), "f")


def _text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return _written(value) if _is_number(value) else str(value)


def _number(value: Any) -> Any:
    if value is None or _is_number(value):
        return value
    try:
        return Decimal(value)
    except (decimal.InvalidOperation, TypeError, ValueError):
        raise Invalid(f"{value} is no number") from None


def _as_int(value: Any) -> int:
    return int(_number(value))


def _has(fields: Mapping[str, Any], names: Iterable[str]) -> bool:
    return all(fields.get(name) is not None for name in names)


def _iso(time: Any, digits: int = 0) -> str:
    seconds, ms = divmod(_as_int(time), 1000)
    whole = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).replace(tzinfo=None).isoformat()
    return whole + (f".{ms:03d}".ljust(digits + 1, "0")[: digits + 1] if digits else "") + "Z"


_TIME = re.compile(r"(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d(?::?\d\d)?))?", re.ASCII)


def _normal_time(time: str, digits: int) -> str | None:
    """Returns a time that a program wrote (any digits of the second, Z or an offset) in UTC with this many digits."""
    parts = _TIME.fullmatch(time)
    if parts is None:
        return None
    date, clock, fraction, zone = parts.groups()
    offset = (zone or "Z").upper().replace(":", "")
    if offset != "Z":
        offset = f"{offset[:3]}:{offset[3:] or '00'}"
    try:
        moment = datetime.datetime.fromisoformat(f"{date}T{clock or '00:00:00'}{offset.replace('Z', '+00:00')}")
    except ValueError:
        return None
    whole = moment.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()
    return whole + ("." + (fraction or "")[:digits].ljust(digits, "0") if digits else "") + "Z"


def _ms(time: Any) -> Any:
    normal = _normal_time(time, 3)
    if normal is None:
        raise Invalid(f"{time} is no time")
    whole = datetime.datetime.fromisoformat(normal[:-1] + "+00:00")
    return int(whole.replace(microsecond=0).timestamp()) * 1000 + whole.microsecond // 1000


def _zone(name: str) -> datetime.tzinfo:
    if name == "UTC":
        return datetime.timezone.utc
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(f'there is no time zone "{name}"; write a name of the IANA database, such as Europe/Berlin, or UTC') from None


def _local_day(time: Any, zone: str) -> datetime.date:
    moment = datetime.datetime.fromtimestamp(_as_int(time if _is_number(time) else _ms(time)) // 1000, datetime.timezone.utc)
    return moment.astimezone(_zone(zone)).date()


def _shift(shift: Any) -> int:
    if shift != int(shift) or abs(shift) > 100_000:
        raise Invalid(f"a period is moved by a whole number up to 100000, not by {_text(shift)}")
    return int(shift)


def _day(time: Any, zone: str = "UTC", shift: Any = 0) -> str:
    return (_local_day(time, zone) + datetime.timedelta(days=_shift(shift))).isoformat()


def _week(time: Any, zone: str = "UTC", shift: Any = 0) -> str:
    year, week, _ = (_local_day(time, zone) + datetime.timedelta(weeks=_shift(shift))).isocalendar()
    return f"{year:04d}-W{week:02d}"


def _month(time: Any, zone: str = "UTC", shift: Any = 0) -> str:
    today = _local_day(time, zone)
    months = today.year * 12 + today.month - 1 + _shift(shift)
    return f"{months // 12:04d}-{months % 12 + 1:02d}"


def _days_of(period: str) -> tuple[datetime.date, datetime.date]:
    """Returns the first day of a period, and the first one after it."""
    try:
        if re.fullmatch(r"\d{4}-W\d\d", period):
            first = datetime.date.fromisocalendar(int(period[:4]), int(period[6:]), 1)
            return first, first + datetime.timedelta(weeks=1)
        if re.fullmatch(r"\d{4}-\d\d", period):
            first = datetime.date.fromisoformat(period + "-01")
            return first, (first + datetime.timedelta(days=31)).replace(day=1)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", period):
            first = datetime.date.fromisoformat(period)
            return first, first + datetime.timedelta(days=1)
    except ValueError:
        pass
    raise Invalid(f'"{period}" is not a day, a week or a month such as 2024-01-31, 2024-W05 or 2024-01')


def _day_start(day: datetime.date, zone: str) -> int:
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=_zone(zone)).timestamp()) * 1000


def _start_of(period: str, zone: str = "UTC") -> int:
    return _day_start(_days_of(period)[0], zone)


def _end_of(period: str, zone: str = "UTC") -> int:
    return _day_start(_days_of(period)[1], zone) - 1


def _round(value: Any, places: Any) -> Any:
    if not _is_number(places) or places != int(places) or places < 0:
        raise Invalid(f"{_text(places)} is no number of places")
    unit = Decimal((0, (1,), -int(places)))
    exact = Decimal(value)
    return exact.quantize(unit, decimal.ROUND_HALF_UP, _EXACT) if _places(exact) > places else value


def _places(exact: Decimal) -> int:
    exponent = exact.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


def _substring(value: str, start: Any, length: Any) -> str:
    if any(not _is_number(one) or one != int(one) or one < 0 for one in (start, length)):
        raise Invalid(f"{_text(start)} and {_text(length)} are no whole numbers from 0 on")
    return value[int(start) : int(start) + int(length)]


def _lower(text: str) -> str:
    """Changes ASCII letters only, as the server does."""
    return re.sub("[A-Z]+", lambda found: found.group().lower(), text)


def _upper(text: str) -> str:
    return re.sub("[a-z]+", lambda found: found.group().upper(), text)


def _hostname(url: str) -> str:
    found = re.match(r"(?:.*?://)?(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)", url, re.DOTALL)
    return _lower(found.group(1)).removesuffix(".") if found else ""


def _ulid(now: int) -> str:
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    time = "".join(digits[now >> shift & 31] for shift in range(45, -5, -5))
    return time + "".join(secrets.choice(digits) for _ in range(16))


def _plain_json(value: Any) -> str:
    """Returns plain JSON with sorted names and canonical numbers: equal texts for equal values, in any language."""
    if _is_number(value):
        return _written(value)
    if isinstance(value, (bytes, bytearray)):
        return json.dumps(base64.b64encode(value).decode())
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=_order)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_plain_json(one) for one in value) + "]"
    if isinstance(value, Mapping):
        there = sorted((name.encode(), name) for name in value if value[name] is not None)
        return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{_plain_json(value[name])}" for _, name in there) + "}"
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    raise Invalid(f"{value!r} cannot be sent; use int or Decimal for numbers")


def _exact_json(text: str) -> Any:
    return json.loads(text, parse_float=Decimal)


def _order(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


def _compare(a: Any, b: Any) -> int | None:
    """Returns the order of two values of one type; None for others."""
    comparable = [(_is_number(a), _is_number(b)), *((isinstance(a, kind), isinstance(b, kind)) for kind in (str, bytes))]
    if (True, True) not in comparable:
        return None
    x, y = _order(a), _order(b)
    return int(x > y) - int(x < y)


def _is(a: Any, comparator: str, b: Any) -> bool:
    if a is None or b is None:
        return comparator == "<>"
    order = _compare(a, b)
    if order is None:
        equal = type(a) is type(b) and bool(a == b)
        return equal if comparator == "=" else not equal and comparator == "<>"
    return {"=": order == 0, "<>": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[comparator]


def _sum(function: str, a: Any, b: Any) -> Any:
    if not _is_number(a) or not _is_number(b):
        raise Invalid(f"{_text(a)} and {_text(b)} are no numbers")
    if function == "/" and not b:
        raise Invalid("a division by zero")
    x, y = Decimal(a), Decimal(b)
    work = {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply, "/": _EXACT.divide}
    return work[function](x, y)


# ---- Parts of keys ----


def _part(value: Any, name: str, raw: bool = False) -> str:
    """Returns a value as a part of a key: never empty, and without '#' unless it is last and its field allows it."""
    if value is None:
        raise Invalid(f"{name} is required: it is part of a key", name)
    part: str = _text(value)
    if part == "" or (not raw and "#" in part):
        raise Invalid(f'{name} may not be empty or hold "#" (was "{part}")', name)
    return part


def _padded(value: Any, name: str, width: int) -> str:
    digits = _part(value, name)
    if not re.fullmatch(r"[0-9]+", digits) or len(digits) > width:
        raise Invalid(f"{name} must be a whole number of at most {width} digits to stand in a key (was {digits})", name)
    return digits.rjust(width, "0")


_GREATEST = 999_999_999_999_999  # descending values are written as the distance to it


def _placed(part: Fields, value: Any) -> str:
    """Returns the text of a placeholder {"field", "as", "width", "type", "raw"} in a key."""
    name, form, type_ = part["field"], part.get("as"), part.get("type", "string")
    if value is None:
        raise Invalid(f"{name} is required: it is part of a key", name)
    if form in ("iso", "ms"):
        if type_ == "timestamp(epoch_s)":
            value = value * 1000
        if form == "iso" and _is_number(value):
            value = _iso(value)
        if form == "ms" and isinstance(value, str):
            value = _ms(value)
    if form == "date" and not (isinstance(value, str) and len(value) == 10):
        value = _day(value * 1000 if type_ == "timestamp(epoch_s)" else value)
    if form == "padded":
        return _padded(value, name, part["width"])
    if form == "desc":
        return _padded(_GREATEST - (_ms(value) if isinstance(value, str) else _as_int(value)), name, 15)
    return _part(value, name, part.get("raw", False))


def _rendered(template: list[Any], fields: Mapping[str, Any], type_: str = "S") -> Any:
    """Returns the key that a template makes of fields; a key that is not a text is the value itself."""
    if type_ != "S" and isinstance(template[0], dict):
        return fields.get(template[0]["field"])
    return "".join(part if isinstance(part, str) else _placed(part, fields.get(part["field"])) for part in template)


def _needed(template: list[Any]) -> list[str]:
    return [part["field"] for part in template if not isinstance(part, str)]


def _reader(template: list[Any]) -> Callable[[Any], dict[str, str] | None]:
    """Returns a function that returns the fields of a key, as texts; None if the template did not make the key."""
    pattern, groups = "", dict[str, str]()
    for part in template:
        if isinstance(part, str):
            pattern += re.escape(part)
        elif part.get("as") == "date":  # the day of a field, not its value
            pattern += r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
        elif part["field"] in groups:
            pattern += f"(?P={groups[part['field']]})"
        else:
            groups[part["field"]] = group = f"g{len(groups)}"
            pattern += f"(?P<{group}>{'.+' if part.get('raw') else '[^#]+'})"
    compiled = re.compile(pattern, re.DOTALL)

    def read(key: Any) -> dict[str, str] | None:
        found = compiled.fullmatch(_text(key) or "")
        return None if found is None else {name: found.group(group) for name, group in groups.items()}

    return read
