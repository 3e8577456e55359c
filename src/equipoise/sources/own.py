"""Folders of a user's own logs -> configurations of an unverified round."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from equipoise import facts
from equipoise.domain import UNVERIFIED_DIVISION, Run, System
from equipoise.errors import printable
from equipoise.sources.own_names import accelerators_of_name, benchmark_of_name
from equipoise.structs import dataclass

if TYPE_CHECKING:
    from equipoise.sources.extract import Extracted

_REMEDY: Final = (
    "name its folder after them, such as 8xH100-SXM-80GB, or describe it in "
    "<Submitter>/systems/<system>.json beside <Submitter>/results/<system>/<benchmark>/"
)

Key = tuple[str, str, str]
"""Submitter, system and benchmark folder."""


@dataclass(slots=True)
class _Settling:
    """Own runs while they get their configuration."""

    found: "Extracted"
    round: str
    notes: list[str] = field(default_factory=list)
    moved: dict[Key, dict[Key, None]] = field(default_factory=lambda: defaultdict(dict))
    """Configuration by folders -> those its runs belong to."""
    named: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """Submitter and system -> the names that may describe it, the nearest first."""

    def settle(self) -> list[str]:
        """Give every run its configuration, and systems without a description theirs."""
        self.found.runs = [(self._run(run), verdict) for run, verdict in self.found.runs]
        for name in ("unread", "others"):
            places = getattr(self.found, name)
            setattr(self.found, name, [new for old in places for new in self._places(old)])
        self.found.factors = [
            (new, factor) for old, factor in self.found.factors for new in self._places(old)
        ]
        self.found.power = [
            replace(file, place=new)
            for file in self.found.power
            for new in self._places(file.place)
        ]
        known = {(s.submitter, s.system_id) for s in (*self.found.systems, *self.found.entries)}
        known |= {(place.submitter, place.system_id) for place, _ in self.found.links}
        for key, names in sorted(self.named.items()):
            if key not in known:
                self._describe(key, names)
        return self.notes

    def _run(self, run: Run) -> Run:
        stem = PurePosixPath(run.path).stem
        if benchmark_of_name(run.benchmark_folder) is not None:
            self.named.setdefault((run.submitter, run.system_id), (run.system_id,))
            return run
        system = run.system_id
        if run.benchmark_folder != run.benchmark:
            system = f"{system}-{run.benchmark_folder}"
        names: tuple[str, ...] = (run.benchmark_folder, run.system_id)
        stated = accelerators_of_name(stem)
        if stated is not None:
            system, names = f"{system}-{stated}", (stem, *names)
        old = run.submitter, run.system_id, run.benchmark_folder
        new = run.submitter, system, run.benchmark
        self.moved[old][new] = None
        self.named.setdefault((run.submitter, system), names)
        return replace(run, system_id=system, benchmark_folder=run.benchmark)

    def _places(self, place: Any) -> list[Any]:
        keys = self.moved.get(place.configuration)
        if keys is None:
            return [place]
        return [replace(place, system_id=system, folder=folder) for _, system, folder in keys]

    def _describe(self, key: tuple[str, str], names: Sequence[str]) -> None:
        """Add the system that names describe, if they say how many accelerators."""
        submitter, system_id = key
        count = next((n for name in names if (n := accelerators_of_name(name)) is not None), None)
        shown = printable(system_id)
        if count is None:
            self.notes.append(f"{shown}: its number of accelerators is unknown: {_REMEDY}")
            return
        raw, match = None, facts.identify_accelerator(None)
        for name in names:
            match = facts.identify_accelerator(None, system_name=name)
            if match.candidates:
                raw = name
                break
        text = f"{shown}: no system description; {count} accelerators read from its name"
        if match.accelerator_id is None:
            which = f" ({match.reason})" if match.candidates else ""
            text += f", which they are is unknown{which}"
        else:
            text += f", {match.accelerator_id}"
        self.notes.append(text)
        self.found.systems.append(
            System(
                round=self.round,
                submitter=submitter,
                system_id=system_id,
                system_name=system_id,
                division=UNVERIFIED_DIVISION,
                accelerators=count,
                accelerator_id=match.accelerator_id,
                accelerator_model=raw,
                accelerator_power_limit_w=match.power_limit_w,
                warnings=(text,),
            )
        )


def settle(found: "Extracted", round_name: str) -> list[str]:
    """Turn folders of own logs into configurations; return what the user should know."""
    return _Settling(found, round_name).settle()
