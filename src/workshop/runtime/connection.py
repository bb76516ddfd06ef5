# ---- Errors and pages ----


class Refused(Exception):
    """The request was refused, by name; nothing was changed. `parameter` is the parameter or field with a wrong value, if known."""

    def __init__(self, refusal: str, reason: str, parameter: str | None = None) -> None:
        super().__init__(f"{refusal}: {reason}")
        self.refusal = refusal
        self.reason = reason
        self.parameter = parameter


class Invalid(Refused):
    """A value that the design does not allow; nothing was changed."""

    def __init__(self, reason: str, parameter: str | None = None) -> None:
        super().__init__("INVALID", reason, parameter)


def _refused(refusal: str, reason: str, parameter: str | None = None) -> Refused:
    return _REFUSALS.get(refusal, Refused)(refusal, reason, parameter)


_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Page(Generic[_T]):
    items: list[_T]
    next: str | None  # the token of the next page; None on the last one
