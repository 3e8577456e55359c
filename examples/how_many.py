"""How many accelerators? The break-even point of a benchmark by every rule."""

import sys

import equipoise as eq

RESAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

with eq.open_catalogue() as catalogue:
    answer = eq.breakeven(
        catalogue,
        "llama2_70b_lora",
        rounds=["v4.1"],
        accelerators=["h100"],
        resamples=RESAMPLES,
    )

for row in answer.result.breakevens:
    if row.basis == "fitted":
        interval = f"{row.low} to {row.high}"
        print(f"{row.rule:11} {row.accelerators!s:>5} ({interval}): {row.reason}")

print("\n".join(answer.footnotes))
