"""Add my own runs: a CSV file becomes unverified scores in a catalogue of my own."""

import sys
import tempfile
from pathlib import Path

import equipoise as eq

RESAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

RUNS = """accelerators,time_to_train_min,accelerator,label
8,180,h100-sxm5-80gb,baseline
16,97,h100-sxm5-80gb,baseline
32,55,h100-sxm5-80gb,baseline
64,34,h100-sxm5-80gb,baseline
"""

with tempfile.TemporaryDirectory() as folder:
    runs, mine = Path(folder) / "my-runs.csv", Path(folder) / "catalogue"
    runs.write_text(RUNS, encoding="utf-8")
    eq.build_catalogue(runs, out=mine, benchmark="bert")
    with eq.open_catalogue(mine) as catalogue:
        answer = eq.breakeven(catalogue, "bert", division="unverified", resamples=RESAMPLES)
    with eq.open_catalogue() as published:
        predicted = eq.predict(
            published,
            "bert",
            accelerator="h100-sxm5-80gb",
            accelerators=[128, 256],
            measured=str(runs),
        )

for row in answer.result.breakevens:
    print(f"{row.rule} ({row.basis}): {row.reason}")
for prediction in predicted.rows():
    print(f"{prediction['accelerators']}: {prediction['time_to_train_min']:.1f} min predicted")
print("\n".join(predicted.footnotes))
