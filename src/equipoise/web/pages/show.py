"""System: all facts of one system, its scores, its runs and where they come from."""

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlencode

from equipoise.report.cells import cell_text
from equipoise.report.columns import column
from equipoise.report.views import View
from equipoise.web.tables import web_table

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

RUNS: Final = View(
    title="Runs",
    columns=(
        *("benchmark", "success", "failure", "time_to_train_min", "eval_accuracy"),
        *("samples_to_converge", "throughput_samples_per_s", "global_batch_size", "precision"),
        *("seed", "path", "warnings"),
    ),
    limit=500,
)
SCORES: Final = View(
    title="Scores",
    columns=(
        *("benchmark", "time_to_train_min", "runs", "runs_failed", "unscaled_min"),
        *("scaling_factor", "energy_kj", "global_batch_size", "samples_to_converge"),
        *("throughput_samples_per_s", "resubmission_of", "warnings"),
    ),
)
OMITTED: Final = ("raw",)


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a system; without a name what to do."""
    wanted = params.get("system_id")
    if wanted is None:
        return {"title": "System", "system": None, "warnings": (), "facts": ()}
    answer = kitchen.answer("show", {"system_id": wanted})
    fields = {row["field"]: row["value"] for row in answer.rows("system")}
    sources = [source_of(entry, fields) for entry in answer.extra["provenance"]]
    return {
        "title": fields.get("system_name") or fields["system_id"],
        "system": fields,
        "facts": [
            (column(name).header, cell_text(value, column(name)))
            for name, value in fields.items()
            if name not in OMITTED
        ],
        "raw": readable(fields.get("raw")),
        "tables": [
            web_table("scores", answer.tables["scores"], how=SCORES),
            web_table("runs", answer.tables["runs"], how=RUNS),
        ],
        "compare": [
            (score.benchmark, f"/compare?{urlencode({'a': _key(score)})}")
            for score in answer.tables["scores"]
            if score.time_to_train_min is not None
        ],
        "sources": sources,
        "footnotes": answer.footnotes,
        "warnings": answer.warnings,
    }


def _key(score: Any) -> str:
    return f"{score.round}/{score.submitter}/{score.system_id}/{score.benchmark}"


def readable(raw: object) -> str | None:
    """Return a raw description with one fact a line; as it is where it is no JSON."""
    if not isinstance(raw, str) or not raw:
        return None
    try:
        return json.dumps(json.loads(raw), indent=2, ensure_ascii=False)
    except ValueError:
        return raw


def source_of(entry: Any, fields: dict[str, Any]) -> dict[str, str | None]:
    """Return where the facts come from: repository, revision, path, and the file's address."""
    path, revision = fields.get("path"), entry.revision
    repository = known_repository(str(fields["round"]))
    link = None
    if repository and revision and path:
        link = f"{repository}/blob/{quote(str(revision))}/{quote(str(path))}"
    return {
        "source": repository if revision and repository else entry.source,
        "revision": revision,
        "path": path,
        "link": link,
    }


def known_repository(round_name: str) -> str | None:
    """Return the address of the public repository of a round, None for one nobody knows."""
    from equipoise import facts
    from equipoise.errors import UnknownNameError

    try:
        return facts.round_named(round_name).repository
    except UnknownNameError:
        return None
