"""Small inputs with overridable defaults for the tests of advice."""

from equipoise.advise import Candidate, PriceList
from equipoise.domain import Configuration
from equipoise.facts.prices import Price

H100 = "h100-sxm5-80gb"


def configuration(time=10.0, accelerators=8, **changes) -> Configuration:
    fields = {
        "round": "v4.1",
        "submitter": "ExampleOrg",
        "system_id": f"sys-{accelerators}-{time}",
        "benchmark": "bert",
        "division": "closed",
        "time_to_train_min": time,
        "accelerators": accelerators,
        "accelerators_per_node": 8,
        "accelerator_id": H100,
        "run_times_min": tuple(time * factor for factor in (0.97, 0.99, 1.0, 1.01, 1.03)),
    }
    return Configuration(**(fields | changes))


def candidate(accelerators=8, time=60.0, **changes) -> Candidate:
    fields = {
        "accelerator_id": H100,
        "accelerators": accelerators,
        "time_median_min": time,
        "time_log_sigma": 0.1,
        "basis": "measured",
        "accelerators_per_node": 8,
        "round": "v4.1",
        "submitter": "ExampleOrg",
        "system_id": "sys",
        "configurations": 1,
    }
    return Candidate(**(fields | changes))


def price(usd=3.0, size=8, **changes) -> Price:
    fields = {
        "accelerator_id": H100,
        "provider": "ExampleCloud",
        "instance_type": "x8",
        "accelerators_per_instance": size,
        "kind": "on-demand",
        "usd_per_accelerator_hour": usd,
        "region": None,
        "as_of": "2026-01-15",
        "source": "a test",
        "confidence": "high",
        "notes": None,
    }
    return Price(**(fields | changes))


def price_list(*prices: Price, own=True) -> PriceList:
    return PriceList(prices=prices or (price(),), notes=(), own=own)
