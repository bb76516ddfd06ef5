# ---- Fields: the checks of their values ----

_SHAPES = {
    "uuid": r"[^\x00-\x20\x7f]+",
    "ulid": r"[^\x00-\x20\x7f]+",
    "url": r"(?i:[a-z+.-][a-z\d+.-]*://[^\x00-\x20\x7f/?#][^\x00-\x20\x7f]*)",
    "email": r"[^@\x00-\x20\x7f]+@[^@\x00-\x20\x7f]+",
    "phone": r"\+[0-9]{1,15}",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "country": r"[A-Z]{2}",  # the database also knows which ones exist
    "hash(sha256)": r"(?i:[0-9a-f]{64})",
    "hash(md5)": r"(?i:[0-9a-f]{32})",
}
_DIGITS = {"timestamp": 0, "timestamp(ms)": 3, "timestamp(us)": 6}  # of the fraction of a second
_WHOLE = ("integer", "timestamp(epoch_ms)", "timestamp(epoch_s)")


def _element(form: Fields) -> Fields | None:
    """Returns the form of the elements of a list or a set, which have all bounds but max_items."""
    inner = re.fullmatch(r"(?:list|set)<(.*)>", form["type"])
    if inner is None:
        return None
    return {**{name: value for name, value in form.items() if name != "max_items"}, "type": inner.group(1)}


def _was(form: Fields, value: Any) -> str:
    return "" if form.get("sensitive") or "of" in form else f" (was {value!r})"


def _accept(name: str, form: Fields, value: Any) -> Any:
    """Returns the value in the form of the field: a time as its type writes it. Refuses values that the design does not allow."""
    if value is None:
        return None
    element = _element(form)
    if element is not None:
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            raise Invalid(f"{name} must be a {form['type']}{_was(form, value)}", name)
        accepted = [_accept(f"{name}[{at}]", element, one) for at, one in enumerate(value)]
        if len(accepted) > form.get("max_items", len(accepted)):
            raise Invalid(f"{name} must have at most {form['max_items']} elements", name)
        if form["type"].startswith("set") and not accepted:
            raise Invalid(f"{name} must not be empty", name)
        return set(accepted) if form["type"].startswith("set") else accepted
    if form["type"] == "map":
        if not isinstance(value, Mapping):
            raise Invalid(f"{name} must be of type map{_was(form, value)}", name)
        return _accept_all(form["of"], value, name + ".") if "of" in form else dict(value)
    typed = _typed(form, value)
    if typed is None:
        raise Invalid(f"{name} must be of type {form['type']}{_was(form, value)}", name)
    complaint = _out_of_bounds(form, typed)
    if complaint is not None:
        raise Invalid(f"{name} must {complaint}{_was(form, value)}", name)
    return typed


def _typed(form: Fields, value: Any) -> Any:
    """Returns None if the value cannot be of the type."""
    type_ = form["type"]
    if type_ in _WHOLE:
        return int(value) if _is_number(value) and value == int(value) else None
    if type_.startswith("number"):
        if not _is_number(value):
            return None
        return Decimal(value) if type_ == "number" else _round(value, int(type_[len("number("):-1]))
    if type_ == "boolean":
        return value if isinstance(value, bool) else None
    if type_ == "binary":
        return bytes(value) if isinstance(value, (bytes, bytearray)) else None
    if type_ == "any":
        return value
    if type_ in _DIGITS and _is_number(value):
        return _iso(value, _DIGITS[type_])
    if not isinstance(value, str):
        return None
    if type_ in _DIGITS:
        return _normal_time(value, _DIGITS[type_])
    before, after = form.get("format", ("", ""))
    is_whole = value.startswith(before) and value.endswith(after)
    part: str | None = value[len(before):len(value) - len(after)] if is_whole else value
    if type_ == "domain" and part is not None:
        part = _domain(part)
    elif type_ == "country" and part is not None:
        part = part.upper()
    if part is None or not re.fullmatch(_SHAPES.get(type_, r"(?s:.*)"), part):
        return None
    return before + part + after


def _domain(value: str) -> str | None:
    """Returns the name of a host in lower case and in ASCII, without scheme, port and path; None if the text names no host with a domain."""
    try:
        host = urllib.parse.urlsplit(value if "://" in value else "http://" + value).hostname or ""
        name = host.rstrip(".").encode("idna").decode().lower()
    except ValueError:
        return None
    label = r"[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?"
    return name if len(name) <= 253 and re.fullmatch(rf"(?:{label}\.)+(?!\d+$){label}", name) else None


def _out_of_bounds(form: Fields, value: Any) -> str | None:
    if "values" in form and _text(value) not in form["values"]:
        return f"be one of {', '.join(form['values'])}"
    if _is_number(value):
        if "min" in form and value < Decimal(form["min"]):
            return f"be ≥ {form['min']}"
        if "max" in form and value > Decimal(form["max"]):
            return f"be ≤ {form['max']}"
    if not isinstance(value, (str, bytes)):
        return None
    if len(value) < form.get("min_length", 0):
        return f"have at least {form['min_length']} characters"
    if len(value) > form.get("max_length", len(value)):
        return f"have at most {form['max_length']} characters"
    if isinstance(value, str) and "pattern" in form and not re.fullmatch(form["pattern"], value, re.ASCII):
        return f"match {form['pattern']}"
    return None


def _accept_all(forms: Fields, values: Mapping[str, Any], path: str = "") -> Fields:
    accepted: Fields = dict(values)
    for name, form in forms.items():
        given = values.get(name)
        accepted[name] = _accept(path + name, form, form.get("default") if given is None else given)
        if form.get("required") and accepted[name] is None:
            raise Invalid(f"{path}{name} is required", path + name)
    return accepted


def _moment(form: Fields, now: int) -> Any:
    """Returns a time in the form of the field."""
    if form["type"] == "timestamp(epoch_s)":
        return now // 1000
    return now if form["type"] in (*_WHOLE, "number") else _iso(now, _DIGITS.get(form["type"], 0))


def _read(form: Fields, value: Any) -> Any:
    """Returns a stored value, or one of JSON, in the form of its dataclass."""
    if value is None:
        return None
    element = _element(form)
    if element is not None:
        all_ = [_read(element, one) for one in value]
        return set(all_) if form["type"].startswith("set") else all_
    if "of" in form:
        return {**value, **_read_all(form["of"], value)}
    if form["type"] == "binary" and isinstance(value, str):
        return base64.b64decode(value)
    if form["type"].startswith("number"):
        return Decimal(value)
    return int(value) if form["type"] in _WHOLE else value


def _read_all(forms: Fields, values: Mapping[str, Any]) -> Fields:
    return {name: _read(form, values[name]) for name, form in forms.items() if values.get(name) is not None}


def _read_key(form: Fields, part: str) -> Any:
    """Returns a part of a key in the form of the field."""
    in_key = form.get("in_key")
    if in_key is None:
        if form["type"] == "boolean":
            return part == "true"
        return _read(form, _number(part) if form["type"].startswith("number") else part)
    time = _GREATEST - int(part) if in_key == "desc" else _ms(part) if in_key == "iso" else int(part)
    if form["type"] in _DIGITS:
        return _iso(time, _DIGITS[form["type"]])
    return time // 1000 if form["type"] == "timestamp(epoch_s)" and in_key != "desc" else time
