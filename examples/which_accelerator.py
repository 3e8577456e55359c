"""Which accelerator? Group and rank the small systems of the latest round."""

import sys

import equipoise as eq

RESAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

with eq.open_catalogue() as catalogue:
    ranking = eq.rank(
        catalogue,
        "llama2_70b_lora",
        rounds=["v5.1"],
        max_accelerators=8,
        method="topsis",
        weights="time_to_train_min=2,accelerator_hours=1",
        resamples=RESAMPLES,
    )

for row in ranking.result.ranking[:5]:
    print(f"{row.rank} ({row.rank_low} to {row.rank_high})", end=" ")
    print(f"{row.accelerators} x {row.accelerator_id}, {row.submitter}:", end=" ")
    print(f"{row.time_to_train_min:.2f} min")

frame = ranking.to_polars("ranking")
print(frame.group_by("accelerator_id").len().sort("len", descending=True))
print("\n".join(ranking.footnotes))
