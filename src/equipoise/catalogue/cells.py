"""Values as cells of Arrow columns, and back without loss, by the annotations of their types."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

import pyarrow

from equipoise.sources.lines import Lines
from equipoise.structs import dataclass

_INTEGER_LIMIT: Final = 2**63
_ESCAPE: Final = "\x10"
"""The control character "data link escape"; in a cell four hexadecimal digits follow it."""
_ODD: Final = re.compile(f"[{_ESCAPE}\ud800-\udfff]")
_ESCAPED: Final = re.compile(f"{_ESCAPE}([0-9a-f]{{4}})")


@dataclass(frozen=True, slots=True)
class Codec:
    """How the values of one annotation become the cells of a column; None is null for all."""

    arrow: Any
    """Type of the column."""
    put: Callable[[Any], Any]
    """Makes a value plain: numbers, text, truth, lists and mappings of them, or TypeError."""
    fits: Callable[[Any], bool]
    """Whether the column holds the plain value exactly."""
    take: Callable[[Any], Any]
    """Makes the value of what is plain."""


def escaped(text: str) -> str:
    r"""Return text that can be written as UTF-8: halves of surrogate pairs as code numbers.

    >>> escaped("caf\xe9 \ud800")
    'café \x10d800'
    """
    if text.isascii() and _ESCAPE not in text:
        return text
    return _ODD.sub(lambda match: f"{_ESCAPE}{ord(match[0]):04x}", text)


def unescaped(text: str) -> str:
    r"""Return the text that was escaped.

    >>> unescaped(escaped("a\x10\udfff")) == "a\x10\udfff"
    True
    """
    if _ESCAPE not in text:
        return text
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


@cache
def codec_of(kind: Any) -> Codec:
    """Return how the values of an annotation are written.

    >>> str(codec_of(tuple[str, ...] | None).arrow), str(codec_of(dict[str, int]).arrow)
    ('list<item: string>', 'map<string, int64>')

    Raises
    ------
    TypeError
        There is no column for such a type.
    """
    outer, inner = get_origin(kind), get_args(kind)
    if outer in {Union, UnionType}:
        (kind,) = (one for one in inner if one is not NoneType)
        return codec_of(kind)
    if kind in _SCALARS:
        arrow, fits = _SCALARS[kind]
        return Codec(arrow, _plain, fits, _text)
    if kind is Any:
        return Codec(pyarrow.string(), lambda value: dumps(_json(value)), _is_text, loads)
    if kind is Lines:
        return _lines()
    if isinstance(kind, type) and issubclass(kind, Enum):
        return Codec(pyarrow.string(), lambda one: _of(one, kind).value, _is_text, kind)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        return _record(kind, kind._fields, [hints[name] for name in kind._fields])
    if outer is tuple and inner[1:] == (...,):
        return _several(tuple, list, codec_of(inner[0]))
    if outer is tuple:
        return _record(tuple, [str(index) for index in range(len(inner))], inner)
    if outer is frozenset:
        return _several(frozenset, sorted, codec_of(inner[0]))
    if outer in {Mapping, dict} and inner[0] is str:
        return _mapping(codec_of(inner[1]))
    raise TypeError(f"no column can hold {kind}")


def _of(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"{type(value).__name__} where {kind.__name__} is declared")
    return value


def _plain(value: Any) -> Any:
    if type(value) is str:
        return escaped(value)
    if type(value) in {int, float, bool}:
        return value
    raise TypeError(f"{type(value).__name__} where a text, a number or a truth is declared")


def _text(value: Any) -> Any:
    return unescaped(value) if type(value) is str else value


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_integer(value: Any) -> bool:
    return type(value) is int and -_INTEGER_LIMIT <= value < _INTEGER_LIMIT


_SCALARS: Final[Mapping[type, tuple[Any, Callable[[Any], bool]]]] = {
    str: (pyarrow.string(), _is_text),
    int: (pyarrow.int64(), _is_integer),
    float: (pyarrow.float64(), lambda value: type(value) is float),
    bool: (pyarrow.bool_(), lambda value: type(value) is bool),
}


def _json(value: Any) -> Any:
    """Return a value that JSON gives back as it is; a loop, as logs nest deeply."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        kind = type(one)
        if kind is dict:
            waiting += one.values()
            waiting += (_of(key, str) for key in one)
        elif kind is list:
            waiting += one
        elif one is not None and kind not in {str, int, float, bool}:
            raise TypeError(f"{kind.__name__} is no value of JSON")
    return value


def dumps(value: Any) -> str:
    """Return a value as JSON that can be written as UTF-8."""
    # Not as ASCII: two halves of a pair, each by itself, would come back as one character.
    return escaped(json.dumps(value, ensure_ascii=False))


def loads(text: str) -> Any:
    """Return the value of a cell that is JSON."""
    return json.loads(unescaped(text))


def each(change: Callable[[Any], Any], values: Iterable[Any]) -> list[Any]:
    """Return changed values; None stays None."""
    return [None if value is None else change(value) for value in values]


def _several(kind: type, order: Callable[[Any], list[Any]], item: Codec) -> Codec:
    """Return the codec of values of one type in a row."""
    return Codec(
        pyarrow.list_(item.arrow),
        lambda values: each(item.put, order(_of(values, kind))),
        lambda plain: all(one is None or item.fits(one) for one in plain),
        lambda plain: kind(each(item.take, plain)),
    )


def _mapping(item: Codec) -> Codec:
    """Return the codec of a mapping of names, in its order."""

    def put(values: Any) -> list[tuple[str, Any]]:
        keys = [escaped(_of(key, str)) for key in _of(values, dict)]
        return list(zip(keys, each(item.put, values.values()), strict=True))

    def take(plain: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        values = each(item.take, (value for _, value in plain))
        return dict(zip((unescaped(key) for key, _ in plain), values, strict=True))

    return Codec(
        pyarrow.map_(pyarrow.string(), item.arrow),
        put,
        lambda plain: all(one is None or item.fits(one) for _, one in plain),
        take,
    )


def _record(kind: type, names: Sequence[str], kinds: Sequence[Any]) -> Codec:
    """Return the codec of a tuple of which every place has its own type."""
    items = [codec_of(one) for one in kinds]
    make: Callable[[Iterator[Any]], Any] = getattr(kind, "_make", kind)

    def put(value: Any) -> dict[str, Any]:
        pairs = zip(items, _of(value, kind), strict=True)
        plain = [one if one is None else item.put(one) for item, one in pairs]
        return dict(zip(names, plain, strict=True))

    def fits(plain: dict[str, Any]) -> bool:
        pairs = zip(items, plain.values(), strict=True)
        return all(one is None or item.fits(one) for item, one in pairs)

    def take(plain: dict[str, Any]) -> Any:
        pairs = zip(items, plain.values(), strict=True)
        return make(one if one is None else item.take(one) for item, one in pairs)

    types = [(name, item.arrow) for name, item in zip(names, items, strict=True)]
    return Codec(pyarrow.struct(types), put, fits, take)


def _lines() -> Codec:
    """Return the codec of lines, which are counted: only the reader has the log itself."""
    counted = codec_of(dict[str, int])
    return Codec(
        counted.arrow,
        lambda lines: counted.put(_of(lines, Lines).settled().counted),
        counted.fits,
        lambda plain: Lines(counted.take(plain)),
    )
