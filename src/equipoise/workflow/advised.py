"""What advice chooses from: published configurations, the user's own job, predicted sizes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from equipoise import facts
from equipoise.domain import Configuration
from equipoise.errors import UsageError
from equipoise.structs import dataclass
from equipoise.workflow.measured import OwnJob
from equipoise.workflow.selection import Selection, SelectionOptions, resolve, select, separate

if TYPE_CHECKING:
    from equipoise.advise import Candidate, PriceList
    from equipoise.advise.candidates import Predictor
    from equipoise.catalogue import Catalogue

FEWER = "fewer accelerators than asked for"
OTHERS = "not on the accelerators asked for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which candidates a request leaves."""

    accelerators: tuple[str, ...] = ()
    """Ids; empty for all."""
    least: int | None = None
    most: int | None = None

    def refuses(self, candidate: "Candidate") -> str | None:
        """Return why a candidate is none for this request."""
        if self.accelerators and candidate.accelerator_id not in self.accelerators:
            return OTHERS
        if self.least is not None and candidate.accelerators < self.least:
            return FEWER
        return None  # too many is judged, and counted, by the advice itself


def wanted_of(options: SelectionOptions) -> Wanted:
    """Return what the selection options say about candidates."""
    named = separate(options.get("accelerators", ()))
    return Wanted(
        accelerators=tuple(
            dict.fromkeys(i for text in named for i in facts.accelerators_matching(text))
        ),
        least=options.get("min_accelerators"),
        most=options.get("max_accelerators"),
    )


def home_of(
    job: OwnJob, measured_on: str | None, prices: "PriceList"
) -> tuple[str, tuple[str, ...]]:
    """Return the accelerator that a job was measured on, and what had to be assumed.

    Where neither the request nor the measurements say it, it is the only one that the
    user's own price list has.

    Raises
    ------
    UsageError
        Nothing says it.
    """
    from equipoise.workflow.prediction import one_accelerator

    said = measured_on or job.accelerator_id
    if said is not None:
        return one_accelerator(said), ()
    priced = {price.accelerator_id for price in prices.prices} if prices.own else set()
    if len(priced) != 1:
        raise UsageError("say with --measured-on which accelerator the job was measured on")
    only = one_accelerator(priced.pop())
    assumed = f"taken to be measured on {only}, the only accelerator of your price list"
    return only, (f"{assumed}; if it was another, say which with --measured-on",)


def evidence(
    catalogue: "Catalogue", benchmark: str | None, own: bool, options: SelectionOptions
) -> tuple[Selection | None, tuple[Configuration, ...]]:
    """Return the selection and the published configurations that advice starts from."""
    if own:
        return (resolve(catalogue, benchmark, **options) if benchmark else None), ()
    if benchmark is None:
        raise UsageError("name a benchmark, or give your own job with --measured")
    wide: Any = {k: v for k, v in options.items() if k != "max_accelerators"}
    selection, found = select(catalogue, benchmark, **wide)
    return replace(selection, max_accelerators=options.get("max_accelerators")), found


def published(
    catalogue: "Catalogue",
    benchmark: str,
    found: Sequence[Configuration],
    wanted: Wanted,
    *,
    prices: "PriceList",
    price_kind: str,
    predicted: bool,
) -> "tuple[list[Candidate], dict[str, int]]":
    """Return published configurations and, on request, predicted sizes; and what is left out."""
    from equipoise.advise import measured_candidates
    from equipoise.workflow.prediction import predictor

    known, left_out = measured_candidates(found)
    if not predicted:
        return list(known), left_out
    more, refused = _predicted(
        predictor(catalogue, benchmark), known, wanted, prices, price_kind, most=wanted.most
    )
    return [*known, *more], {**left_out, **refused}


def own(
    catalogue: "Catalogue",
    job: OwnJob,
    home: str,
    wanted: Wanted,
    *,
    like: str | None,
    prices: "PriceList",
    price_kind: str,
) -> "tuple[list[Candidate], dict[str, int], list[str]]":
    """Return the user's measurements and sizes predicted from them; what is left out; doubts."""
    from equipoise.scaling.predict_basis import FAR
    from equipoise.workflow.prediction import own_candidates

    doubts: list[str] = []
    measured, predict = own_candidates(
        catalogue, job.pairs, accelerator_id=home, like=like, doubts=doubts
    )
    largest = max(n for n, _ in job.pairs)
    more, left_out = _predicted(
        predict, measured, wanted, prices, price_kind, most=wanted.most or FAR * largest
    )
    kept = []
    for candidate in measured:
        reason = wanted.refuses(candidate)
        if reason is None:
            kept.append(candidate)
        else:
            left_out[reason] = left_out.get(reason, 0) + 1
    return [*kept, *more], left_out, doubts


def _predicted(
    predict: "Predictor",
    measured: "Sequence[Candidate]",
    wanted: Wanted,
    prices: "PriceList",
    price_kind: str,
    *,
    most: int | None,
) -> "tuple[list[Candidate], dict[str, int]]":
    from equipoise.advise import OfferBook, predicted_candidates

    book = OfferBook(prices, kind=price_kind)
    known = {entry.id for entry in facts.accelerators()}  # own lists may price others too
    more, refused = predicted_candidates(
        predict,
        book,
        measured=measured,
        accelerators=wanted.accelerators or [i for i in book.accelerator_ids if i in known],
        most=most,
    )
    kept = [candidate for candidate in more if wanted.refuses(candidate) is None]
    if len(kept) < len(more):
        refused[FEWER] = len(more) - len(kept)
    return kept, refused
