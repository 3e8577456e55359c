"""What the two papers are said to have found, claim by claim, each with its test on the data."""

from typing import Final

from equipoise.workflow.claims import drivers, groups, scaling, setting
from equipoise.workflow.claims.base import Claim

CLAIMS: Final[tuple[Claim, ...]] = (
    *drivers.CLAIMS,
    *groups.CLAIMS,
    *setting.CLAIMS,
    *scaling.CLAIMS,
)
"""Every claim in its order; the place is its number."""
