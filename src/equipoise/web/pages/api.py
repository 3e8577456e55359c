"""The documentation of the HTTP interface, from its own OpenAPI document; works offline."""

from typing import TYPE_CHECKING, Any

from equipoise.web.commands import COMMANDS, OUTPUT, PREFIX
from equipoise.web.options import Option

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen

EXAMPLES = {
    "list": "what=rounds",
    "show": "system-id=v4.1/NVIDIA/eos_n8_ngc24.09_pytorch",
    "compare": "a=...&b=...",
    "catalogue": "",
    "predict": "benchmark=bert&accelerator=h100-sxm5-80gb&accelerators=8,64,512",
    "suggest": "measured=8%3D180min,16%3D97min&accelerator=h100-sxm5-80gb",
    "validate": "protocol=own-job&baselines=false",
    "advise": "benchmark=bert&deadline=2h&budget=500usd",
}


def context(kitchen: "Kitchen", params: dict[str, Any]) -> dict[str, Any]:
    """Return every question with its parameters."""
    return {
        "title": "HTTP interface",
        "prefix": PREFIX,
        "output": [described(option) for option in OUTPUT],
        "commands": [
            {
                "name": command.name,
                "summary": command.summary,
                "options": [described(option) for option in command.options],
                "example": _example(command.name),
            }
            for command in COMMANDS.values()
        ],
    }


def _example(name: str) -> str:
    query = EXAMPLES.get(name, "benchmark=bert")
    return f"{PREFIX}/{name}?{query}" if query else f"{PREFIX}/{name}"


def described(option: Option) -> dict[str, Any]:
    """Return a parameter in words."""
    bounds = ""
    if option.low is not None and option.high is not None:
        bounds = f"{bound(option.low)} to {bound(option.high)}"
    kinds = {"count": "whole number", "number": "number", "flag": "true or false", "text": "text"}
    return {
        "name": option.name,
        "kind": kinds[option.kind] + (", may be repeated" if option.many else ""),
        "required": option.required,
        "default": option.default,
        "choices": option.choices,
        "bounds": bounds,
        "help": option.help,
    }


def bound(value: float) -> str:
    """Return an end of a range as people write it.

    >>> bound(2147483647), bound(0.5)
    ('2,147,483,647', '0.5')
    """
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"
