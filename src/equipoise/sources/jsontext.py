"""Read JSON written by hand: byte order marks, duplicate keys, trailing commas."""

import json
import re
from collections.abc import Iterable
from dataclasses import field
from typing import Any, Final

from equipoise.errors import printable
from equipoise.structs import dataclass
from equipoise.units import BYTES_PER_MIB

MAX_JSON_BYTES: Final = 4 * BYTES_PER_MIB
"""A description or a scaling file is never larger."""

MOST_SHOWN: Final = 40
"""Characters of a value in a message."""

_STRING_OR_COMMA: Final = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])')


class NotJsonError(Exception):
    """The text is not JSON even with every tolerance."""

    def __init__(self, reason: str, line: int | None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


@dataclass(slots=True)
class Loose:
    """A JSON value and what had to be forgiven to read it."""

    value: Any = None
    warnings: list[tuple[int | None, str]] = field(default_factory=list)
    """Line and text."""


def decode_text(data: bytes) -> str:
    r"""Return text of UTF-8 with or without a byte order mark, else of Latin-1.

    >>> decode_text(b"\xef\xbb\xbf{}"), decode_text(b"caf\xe9")
    ('{}', 'café')
    """
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def clean(text: str) -> str:
    r"""Return text that can be written as UTF-8: lone surrogates of JSON become `?`.

    >>> clean("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


def load_loose(data: bytes) -> Loose:
    """Decode JSON, forgiving trailing commas, duplicate keys and control characters.

    Raises
    ------
    NotJsonError
        With the line of the first mistake.

    >>> load_loose(b'{"a": [1, 2,],}').value
    {'a': [1, 2]}
    """
    if len(data) > MAX_JSON_BYTES:
        reason = f"{len(data):,} bytes are more than a description has ({MAX_JSON_BYTES:,})"
        raise NotJsonError(reason, None)
    text = decode_text(data)
    loose = Loose()

    def pairs(items: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if key in found and found[key] != value:
                shown = f"{short(found[key])}, then {short(value)}"
                text = f'"{printable(key)}" is given twice ({shown}); the last one is used'
                loose.warnings.append((_second_line(data, key), text))
            found[key] = value
        return found

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=pairs)
    try:
        loose.value = decoder.decode(text)
    except json.JSONDecodeError as error:
        comma = _trailing_comma(text)
        if comma is None:
            raise NotJsonError(_reason(error), error.lineno) from None
        try:
            loose.warnings.clear()
            loose.value = decoder.decode(_STRING_OR_COMMA.sub(_without_comma, text))
        except (ValueError, RecursionError):
            raise NotJsonError(_reason(error), error.lineno) from None
        loose.warnings.append((comma, "comma before a closing bracket ignored"))
    except RecursionError:
        raise NotJsonError("not JSON: nested too deeply", None) from None
    except ValueError:  # Python refuses integers of thousands of digits
        raise NotJsonError("not JSON: a number has too many digits", None) from None
    return loose


def line_of(data: bytes, needle: str) -> int | None:
    """Return the line where a text first stands, for messages."""
    at = data.find(needle.encode("utf-8", "replace"))
    return None if at < 0 else data.count(b"\n", 0, at) + 1


def short(value: Any) -> str:
    """Return the beginning of a value as JSON, for a message.

    >>> short("2 nodes"), short(None)
    ('"2 nodes"', 'null')
    """
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # of a Python literal, or nested deeply
        text = f"({type(value).__name__})"
    return printable(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}...")


def _second_line(data: bytes, key: str) -> int | None:
    """Return the line where a key stands for the second time."""
    needle = json.dumps(key, ensure_ascii=False).encode("utf-8", "replace")
    at = data.find(needle, data.find(needle) + 1)
    return None if at < 0 else data.count(b"\n", 0, at) + 1


def _reason(error: json.JSONDecodeError) -> str:
    return f"not JSON: {error.msg} (line {error.lineno} column {error.colno})"


def _trailing_comma(text: str) -> int | None:
    """Return the line of the first comma before a closing bracket."""
    for match in _STRING_OR_COMMA.finditer(text):
        if match[0] == ",":
            return text.count("\n", 0, match.start()) + 1
    return None


def _without_comma(match: re.Match[str]) -> str:
    return "" if match[0] == "," else match[0]
