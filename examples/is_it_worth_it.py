"""Are 512 worth it? Efficiency and accelerator-hours along one curve, and where they are lost."""

import sys

import equipoise as eq

RESAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 1000

with eq.open_catalogue() as catalogue:
    answer = eq.scaling(
        catalogue,
        "llama2_70b_lora",
        rounds=["v4.1"],
        accelerators=["h100"],
        resamples=RESAMPLES,
    )
    predicted = eq.predict(
        catalogue,
        "llama2_70b_lora",
        accelerator="h100-sxm5-80gb",
        accelerators=[256, 512],
        round="v4.1",
    )

for point in answer.result.points:
    print(f"{point.accelerators:5} {point.time_to_train_min:7.2f} min", end=" ")
    print(f"efficiency {point.efficiency:.2f}, {point.accelerator_hours:.1f} accelerator-hours")
    if point.efficiency_throughput is not None:
        print(f"      throughput {point.efficiency_throughput:.2f}", end=" ")
        print(f"x convergence {point.efficiency_convergence:.2f}", end=" ")
        print(f"x overhead {point.efficiency_overhead:.2f}")

for row in predicted.rows():
    print(f"{row['accelerators']} predicted: {row['time_to_train_min']:.2f} min", end=" ")
    print(f"({row['low_90']:.2f} to {row['high_90']:.2f}), {row['basis']}")
print("\n".join(answer.footnotes))
