"""What will my job cost? Options under a deadline and a budget, with the chance to keep them."""

import equipoise as eq

with eq.open_catalogue() as catalogue:
    answer = eq.advise(
        catalogue,
        measured="8=180min,16=97min",
        measured_on="h100-sxm5-80gb",
        like="bert",
        deadline="2h",
        budget="500usd",
    )

for row in answer.result.options[:5]:
    print(f"{row.rank}: {row.accelerators} x {row.accelerator_id},", end=" ")
    print(f"{row.time_to_train_min:.0f} min, {row.cost_usd:.0f} USD,", end=" ")
    print(f"deadline kept with {row.probability_meets_deadline:.0%}")

for row in answer.result.excluded:
    print(f"left out: {row.reason} ({row.count})")
print("\n".join((*answer.warnings, *answer.footnotes)))
