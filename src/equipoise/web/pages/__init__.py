"""The pages: one row each with its address, its options and the function that fills it.

A page asks the workflow and hands what it got to a template; its whole state is its query.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from equipoise.structs import dataclass
from equipoise.web import options as o
from equipoise.web.commands import COMMANDS
from equipoise.web.options import Option
from equipoise.web.query import model_of

if TYPE_CHECKING:
    from equipoise.web.kitchen import Kitchen


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the dashboard."""

    name: str
    title: str
    """In the list of pages."""
    options: tuple[Option, ...] = ()
    command: str | None = None
    """The question whose answer the page shows and offers for download."""
    about_benchmark: bool = False
    """Whether it is one of the pages of a benchmark."""
    charts: bool = False
    """Whether charts are drawn on it."""
    listed: bool = True
    """Whether it is in the list of pages."""

    @property
    def path(self) -> str:
        """Return the address."""
        return "/" if self.name == "overview" else f"/{self.name}"


COLOUR: Final = Option(
    name="colour",
    default="accelerator",
    choices=("accelerator", "submitter", "cluster"),
    label="Colour by",
    help="What the colours of the points tell apart.",
    page_only=True,
)
CURVES: Final = Option(
    name="curve",
    key="curve",
    many=True,
    label="Curves drawn",
    help="Curves in the charts; those with most counts by default.",
    page_only=True,
)
SEARCH: Final = Option(
    name="q", longest=80, label="Find a benchmark", help="Words of its name or task."
)
SORT: Final = Option(
    name="sort", longest=160, help="Column that tables are sorted by.", page_only=True
)
FIND: Final = Option(name="find", longest=160, help="Text that rows must have.", page_only=True)
LOOKS: Final = (SORT, FIND)
"""State of the tables, kept in the address and applied in the browser."""


def _of(command: str, *more: Option) -> tuple[Option, ...]:
    options = tuple(replace(option, required=False) for option in COMMANDS[command].options)
    return (*options, *more)


PAGES: Final[dict[str, Page]] = {
    page.name: page
    for page in (
        Page(name="overview", title="Overview", options=(SEARCH,)),
        Page(
            name="benchmark",
            title="Results",
            command="configurations",
            options=_of("configurations", COLOUR),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="scaling",
            title="Scaling",
            command="scaling",
            options=_of("scaling", o.EFFICIENCY_FLOOR, o.MARGINAL_GAIN, CURVES),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="study",
            title="Study",
            command="study",
            options=_of("study"),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="predict",
            title="Predict",
            command="predict",
            options=_of("predict"),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="advise",
            title="Advise",
            command="advise",
            options=_of("advise"),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="trends",
            title="Trends",
            command="trends",
            options=_of("trends"),
            about_benchmark=True,
            charts=True,
        ),
        Page(
            name="compare",
            title="Compare",
            command="compare",
            options=_of("compare"),
            about_benchmark=True,
        ),
        Page(
            name="study-scaling",
            title="Four workloads",
            command="study-scaling",
            options=_of("study-scaling"),
            charts=True,
        ),
        Page(name="show", title="System", command="show", options=_of("show"), listed=False),
        Page(
            name="validate",
            title="Accuracy",
            command="validate",
            options=_of("validate"),
        ),
        Page(name="methods", title="Methods"),
        Page(name="api", title="API"),
    )
}


@cache
def page_model(name: str) -> type[BaseModel]:
    """Return the model of the query of a page.

    Raises
    ------
    UnknownNameError
        There is no such page.
    """
    from equipoise.errors import UnknownNameError

    if name not in PAGES:
        raise UnknownNameError("page", name, PAGES)
    return model_of(f"{name.capitalize()}Page", (*PAGES[name].options, *LOOKS))


def defaults(name: str) -> dict[str, Any]:
    """Return the parameters of a page that is asked for without any."""
    from equipoise.web.query import parse

    return parse(page_model(name), "")


def asked(name: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that go to the question of a page."""
    command = PAGES[name].command
    known = {option.keyword for option in COMMANDS[command].options} if command else set()
    return {key: value for key, value in params.items() if key in known}


def context(kitchen: "Kitchen", name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return what the template of a page needs."""
    made: dict[str, Any] = import_module(f"{__name__}.{name.replace('-', '_')}").context(
        kitchen, params
    )
    return made
