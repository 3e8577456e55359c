"""The options that put buying beside renting, and what else a price rests on."""

from typing import Final

from equipoise.web.options import QUANTITY, Option

AMOUNT: Final = r"[0-9][0-9.]{0,15} *([uU][sS][dD])? *"
PURCHASE: Final = (
    Option(
        name="interruption-loss",
        longest=40,
        pattern=QUANTITY,
        help="What one interruption of a spot machine costs the job, such as 15min.",
    ),
    Option(
        name="purchase",
        longest=2000,
        pattern=rf"^ *({AMOUNT}|[A-Za-z0-9_.-]{{1,60}} *= *{AMOUNT}"
        rf"(, *[A-Za-z0-9_.-]{{1,60}} *= *{AMOUNT})*)$",
        help="Put buying beside renting: price of an accelerator with its share of the system, "
        "35000usd or h200=38000usd,b200=50000usd.",
    ),
    Option(name="years", kind="number", low=0, high=100, help="A purchase is written off over; 4."),
    Option(
        name="utilisation",
        kind="number",
        low=0,
        high=1,
        help="Share of all hours in which a bought accelerator trains; 0.6.",
    ),
    Option(name="power-price", kind="number", low=0, high=100, help="USD per kWh; 0.12."),
    Option(
        name="running-cost",
        kind="number",
        low=0,
        high=10_000_000,
        help="Staff, space, support of a bought accelerator, USD per year; 0.",
    ),
    Option(
        name="pue",
        kind="number",
        low=1,
        high=100,
        help="Power of the data centre over that of its computers; 1.3.",
    ),
)
