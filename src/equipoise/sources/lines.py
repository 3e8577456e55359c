"""Line numbers of the few records that a message may name, counted only when one is asked for.

Counting the lines of every log would cost more than reading it. So a reader only marks where
such a record is among the pieces of its window, and whoever makes a message counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field

from equipoise.structs import dataclass


@dataclass(slots=True)
class Lines:
    """Lines of marked records, those of the last window not counted yet."""

    counted: dict[str, int] = field(default_factory=dict)
    """Name of a mark -> its line."""
    _marks: Mapping[str, int] = field(default_factory=dict)
    _segments: Sequence[bytes] = ()
    _before: int = 0

    def of(self, name: str) -> int | None:
        r"""Return the line of a mark, None if there is none.

        >>> Lines({}, {"run_stop": 2}, [b"a\nb\n", b"c\n", b"d"]).of("run_stop")
        4
        """
        if name in self._marks:
            return self._before + lines_before(self._segments, self._marks[name]) + 1
        return self.counted.get(name)

    def settled(self) -> "Lines":
        """Return the same lines, counted, so that they can be kept without the log."""
        return Lines({**self.counted, **{name: self.of(name) or 0 for name in self._marks}})


def lines_before(segments: Sequence[bytes], index: int) -> int:
    """Return how many lines end before a piece."""
    return sum(segment.count(b"\n") for segment in segments[:index])
