"""Query strings to checked parameters: one model per question, made from its options."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Final, Literal
from urllib.parse import parse_qsl, urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from equipoise.errors import UsageError, printable
from equipoise.web.options import MOST_VALUES, Option, benchmark_names

PLAIN: Final = r"^[^\x00-\x1f\x7f]+$"
"""Text without control characters."""
MOST_FIELDS: Final = 300
Params = dict[str, Any]


class BadQueryError(UsageError):
    """The query has unknown or impossible parameters: `problems` names each with the reason."""

    def __init__(self, problems: Sequence[tuple[str, str]]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(f"{name}: {reason}" for name, reason in problems))


@cache
def model_of(name: str, options: tuple[Option, ...]) -> type[BaseModel]:
    """Return the model that checks a query against options; unknown names are refused."""
    fields: dict[str, Any] = {option.keyword: _field(option) for option in options}
    made: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return made


def given(model: BaseModel) -> Params:
    """Return keyword -> value of what was asked for, defaults included, lists as tuples."""
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in model.model_dump().items()
        if value is not None
    }


def parse(model: type[BaseModel], query: str) -> Params:
    """Return the checked parameters of a page's query; blank ones count as not given.

    Raises
    ------
    BadQueryError
        With every parameter that is wrong.
    """
    pairs = [(name, value.strip()) for name, value in _pairs(query)]
    pairs = [(name.replace("_", "-"), value) for name, value in pairs if value]
    lists = {f.alias or n for n, f in model.model_fields.items() if _is_list(f.annotation)}
    collected: dict[str, Any] = {}
    for name, value in pairs:
        if name in lists:
            collected.setdefault(name, []).append(value)
        else:
            collected[name] = value
    try:
        return given(model.model_validate(collected))
    except ValidationError as error:
        raise BadQueryError(problems(error.errors(), aliases(model))) from error


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise BadQueryError([("query", f"more than {MOST_FIELDS} parameters")]) from error


def query_of(options: Iterable[Option], params: Mapping[str, Any], **changes: Any) -> str:
    """Return the query string of parameters without those at their default.

    `changes` replace parameters by keyword; None takes one away.
    """
    merged = {**params, **changes}
    pairs: list[tuple[str, str]] = []
    for option in options:
        value = merged.get(option.keyword)
        if value is None or value == option.default:
            continue
        values = value if isinstance(value, tuple | list) else (value,)
        pairs += [(option.name, _text(item)) for item in values]
    return urlencode(pairs)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def problems(errors: Iterable[Mapping[str, Any]], known: Sequence[str]) -> list[tuple[str, str]]:
    """Return (parameter, what is wrong) for the errors of a validation."""
    found = []
    for error in errors:
        place = [str(part) for part in error["loc"] if part not in ("query", "path")]
        name = printable(place[0])[:80] if place else "query"
        if error["type"] == "extra_forbidden":
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
            found.append((name, f"unknown parameter; {hint}"))
        else:
            found.append((name, str(error["msg"])))
    return found


def aliases(model: type[BaseModel]) -> list[str]:
    """Return the names of the parameters of a model as they stand in a query."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _is_list(annotation: Any) -> bool:
    return "list[" in str(annotation)


def _field(option: Option) -> tuple[Any, Any]:
    base = _base(option)
    extra = _schema(option)
    if option.many:
        item = Annotated[base, Field(json_schema_extra=extra)] if extra else base
        annotation: Any = Annotated[list[item], Field(max_length=MOST_VALUES)]  # type: ignore[valid-type]
        extra = {}
    else:
        annotation = base
    if not option.required and option.default is None:
        annotation = annotation | None
    default: Any = ... if option.required else option.default
    return annotation, Field(
        default, alias=option.name, description=option.help, json_schema_extra=extra or None
    )


def _base(option: Option) -> Any:
    if option.choices:
        return Literal[option.choices]
    if option.kind == "flag":
        return Annotated[bool, BeforeValidator(_truth)]
    if option.kind == "count":
        return Annotated[int, Field(ge=option.low, le=option.high)]
    if option.kind == "number":
        return Annotated[float, Field(ge=option.low, le=option.high, allow_inf_nan=False)]
    pattern = option.pattern or PLAIN
    return Annotated[str, Field(min_length=1, max_length=option.longest, pattern=pattern)]


def _truth(value: object) -> object:
    """Let through what is written true or false; 1, yes and on are not."""
    if isinstance(value, str) and value not in ("true", "false"):
        raise ValueError("write true or false")
    return value


def _schema(option: Option) -> dict[str, Any]:
    """Return what the documentation adds: the names that there are."""
    if option.name in ("benchmark", "like"):
        return {"enum": list(benchmark_names())}
    if option.name in ("accelerator", "measured-on", "on"):
        return {"enum": list(accelerator_names())}
    if option.name == "round":
        return {"examples": ["v4.1", "v3.0..v4.0"]}
    return {}


@cache
def accelerator_names() -> tuple[str, ...]:
    """Return every id, family and vendor of accelerators."""
    from equipoise import facts

    names: dict[str, None] = {}
    for entry in facts.accelerators():
        names.update(dict.fromkeys((entry.id, entry.family, entry.vendor)))
    return tuple(names)
