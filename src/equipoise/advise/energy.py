"""Energy and carbon of a training as a planning estimate: never an MLPerf metric."""

import math

from equipoise import facts
from equipoise.errors import UnknownNameError, UsageError
from equipoise.structs import dataclass
from equipoise.units import G_PER_KG, MIN_PER_H, W_PER_KW


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyAssumption:
    """What a planning estimate of energy rests on.

    energy = n x TDP x load x host_factor x PUE x hours; carbon = energy x grid intensity.
    """

    load: float = 0.8
    """Mean power of an accelerator as a share of its TDP."""
    host_factor: float = 1.3
    """Power of accelerators, hosts and network over that of the accelerators."""
    pue: float = 1.3
    """Power of the data centre over that of its computers."""
    grid_g_per_kwh: float | None = None
    """Carbon intensity of the grid; no carbon without it."""

    def __post_init__(self) -> None:
        """Refuse shares and factors that cannot be."""
        if not 0.0 < self.load <= 1.0:
            raise UsageError(f"load must be more than 0 and at most 1, not {self.load}")
        if not (1.0 <= self.host_factor < math.inf and 1.0 <= self.pue < math.inf):
            raise UsageError("host factor and PUE must be 1 or more")
        if self.grid_g_per_kwh is not None and not 0.0 <= self.grid_g_per_kwh < math.inf:
            raise UsageError("the grid intensity must be 0 g/kWh or more")

    def energy_kwh(self, accelerator_id: str, accelerators: int, time_min: float) -> float | None:
        """Return the estimated energy of one training, None without a sourced TDP.

        >>> EnergyAssumption(load=0.5, host_factor=1.0, pue=1.0).energy_kwh(
        ...     "h100-sxm5-80gb", 8, 60.0)
        2.8
        """
        try:
            tdp_w = facts.accelerator(accelerator_id).tdp_w
        except UnknownNameError:
            return None
        if tdp_w is None:
            return None
        power_w = accelerators * tdp_w * self.load * self.host_factor * self.pue
        return power_w / W_PER_KW * time_min / MIN_PER_H

    def carbon_kg(self, energy_kwh: float | None) -> float | None:
        """Return the carbon dioxide of an energy, None without a grid intensity."""
        if energy_kwh is None or self.grid_g_per_kwh is None:
            return None
        return energy_kwh * self.grid_g_per_kwh / G_PER_KG

    def words(self) -> str:
        """Return the assumption in words."""
        text = (
            f"energy is a planning estimate, not an MLPerf metric: TDP x {self.load:g} load x "
            f"{self.host_factor:g} for hosts x PUE {self.pue:g}"
        )
        if self.grid_g_per_kwh is not None:
            text += f"; carbon at {self.grid_g_per_kwh:g} g/kWh"
        return text
