"""Constraints, Pareto set, recommendation with reasons; comparisons, trends and prices."""

from equipoise.advise.candidates import (
    Prediction,
    Predictor,
    measured_candidates,
    predicted_candidates,
)
from equipoise.advise.compare import compare
from equipoise.advise.energy import EnergyAssumption
from equipoise.advise.frontier import cheapest_under_deadline, fastest_under_budget
from equipoise.advise.offers import KINDS, Offer, OfferBook, SpotAssumption
from equipoise.advise.order import OBJECTIVES
from equipoise.advise.prices import (
    PriceList,
    bundled_prices,
    price_list_of_rows,
    read_price_list,
)
from equipoise.advise.purchase import Purchase
from equipoise.advise.quantities import parse_amount_usd, parse_duration_min
from equipoise.advise.recommend import advise
from equipoise.advise.results import (
    AdviceResult,
    Candidate,
    ComparedField,
    CompareResult,
    ExcludedRow,
    GainRow,
    NearMiss,
    OptionRow,
    PurchaseRow,
    SoftwareRow,
    TrendRow,
    TrendsResult,
)
from equipoise.advise.trends import trends

__all__ = [
    "KINDS",
    "OBJECTIVES",
    "AdviceResult",
    "Candidate",
    "CompareResult",
    "ComparedField",
    "EnergyAssumption",
    "ExcludedRow",
    "GainRow",
    "NearMiss",
    "Offer",
    "OfferBook",
    "OptionRow",
    "Prediction",
    "Predictor",
    "PriceList",
    "Purchase",
    "PurchaseRow",
    "SoftwareRow",
    "SpotAssumption",
    "TrendRow",
    "TrendsResult",
    "advise",
    "bundled_prices",
    "cheapest_under_deadline",
    "compare",
    "fastest_under_budget",
    "measured_candidates",
    "parse_amount_usd",
    "parse_duration_min",
    "predicted_candidates",
    "price_list_of_rows",
    "read_price_list",
    "trends",
]
