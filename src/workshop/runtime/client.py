# ---- The client ----

_Source = _Direct | _Served


def _source(client: Any, v1: str | None, token: str | None, options: Fields) -> _Source:
    if v1 is not None:
        return _Served(v1, token)
    table: Fields = _DESIGN["table"]
    name = options["table"] or os.environ.get(table.get("name_env", ""), table["name"])
    # boto3 has no types, and /v1 does not need it.
    return _Direct(importlib.import_module("boto3").client("dynamodb") if client is None else client, name, options)


def _made(of: Any, fields: Mapping[str, Any]) -> Any:
    return of(**{one.name: fields.get(one.metadata.get("name", one.name)) for one in dataclasses.fields(of)})


def _get(source: _Source, of: type[_T], name: str, given: Fields) -> _T | None:
    found = source.get(name, given)
    return None if found is None else cast(_T, _made(of, found))


def _aggregate(source: _Source, of: type[_T], name: str, given: Fields, limit: int | None) -> list[_T]:
    return [cast(_T, _made(of, row)) for row in source.rows(name, given, limit)]


def _page(source: _Source, name: str, given: Fields, limit: int | None, token: str | None) -> Page[Any]:
    """Returns a page; that of a union goes on with its next pattern."""
    parts: list[str] = _DESIGN["patterns"][name].get("parts", [name])
    if parts == [name]:
        found, after = source.page(name, given, limit, token)
        return Page([_made(_FOUND[name], one) for one in found], after)
    if limit is not None and limit < 1:
        raise Invalid("limit must be at least 1", "limit")
    at, _, start = (token or "0:").partition(":")
    if not at.isdecimal():
        raise Invalid("token must be the `next` of another page", "token")
    items: list[Any] = []
    part, after = int(at), start or None
    while part < len(parts) and len(items) < (1 if limit is None else limit):
        needed = {one: given.get(one) for one in _DESIGN["patterns"][parts[part]]["params"]}
        page = _page(source, parts[part], needed, None if limit is None else limit - len(items), after)
        items += page.items
        after = page.next
        part += after is None
    return Page(items, f"{part}:{after or ''}" if part < len(parts) else None)


def _every(page_of: Callable[[str | None], Page[_T]]) -> Iterator[_T]:
    token: str | None = None
    while True:
        page = page_of(token)
        yield from page.items
        token = page.next
        if token is None:
            return


async def _every_async(page_of: Callable[[str | None], Awaitable[Page[_T]]]) -> AsyncIterator[_T]:
    token: str | None = None
    while True:
        page = await page_of(token)
        for one in page.items:
            yield one
        token = page.next
        if token is None:
            return


def _perform(source: _Source, of: type[_T], name: str, given: Fields) -> _T:
    return cast(_T, _made(of, source.perform(name, given) or {}))
