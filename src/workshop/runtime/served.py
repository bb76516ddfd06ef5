# ---- Patterns and operations under /v1 ----


class _Served:
    """Requests to a server of Tavola, which performs patterns and operations by their names."""

    def __init__(self, v1: str, token: str | None) -> None:
        self.root = f"{v1.rstrip('/')}/v1/{urllib.parse.quote(_DESIGN['name'])}/"
        self.token = token
        self.kinds = {name: _Kind(name, _DESIGN) for name in _DESIGN["entities"]}

    def get(self, name: str, given: Fields) -> Fields | None:
        found = self.send(name + self.query(given))
        return None if found is None else self.kinds[_DESIGN["patterns"][name]["entity"]].read(found)

    def page(self, name: str, given: Fields, limit: int | None, token: str | None) -> tuple[list[Fields], str | None]:
        found = self.send(name + self.query({**given, "limit": limit, "page": token}))
        pattern: Fields = _DESIGN["patterns"][name]
        kind = self.kinds[pattern.get("follow", pattern)["entity"]]
        return [kind.read(one) for one in found["items"]], found["next"]

    def rows(self, name: str, given: Fields, limit: int | None) -> list[Fields]:
        found = self.send(name + self.query({**given, "limit": limit}))
        forms: Fields = _DESIGN["patterns"][name]["row"]
        return [_read_all(forms, one) for one in found["items"]]

    def perform(self, name: str, given: Fields) -> Fields | None:
        result = self.send(name, _plain_json(given))
        return None if result is None else self.kinds[_DESIGN["operations"][name]["entity"]].read(result)

    @staticmethod
    def query(given: Fields) -> str:
        texts = {name: _text(value) for name, value in given.items() if value is not None}
        return "?" + urllib.parse.urlencode(texts) if texts else ""

    def send(self, path: str, body: str | None = None) -> Any:
        """Without a body it is a GET. Returns None for an entity that is missing."""
        headers = {"Accept": "application/json"}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.root + path, None if body is None else body.encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as error:
            return self.failed(error)
        return _exact_json(text) if text else None

    @staticmethod
    def failed(error: urllib.error.HTTPError) -> None:
        text = error.read().decode(errors="replace")
        problem: Fields = json.loads(text) if "json" in error.headers.get("Content-Type", "") else {}
        detail, parameter = problem.get("detail", text), problem.get("parameter")
        if problem.get("type") == "urn:tavola:not-found":
            return
        if "refusal" in problem:
            raise _refused(problem["refusal"], detail, parameter)
        if error.code in (400, 422):
            raise Invalid(detail, parameter)
        raise RuntimeError(f"{error.url} answered {error.code}: {detail}")
