"""Data classes that cost little to define: `dataclass` as of the standard library, lazily compiled.

The standard library compiles up to six methods for every data class while its module is
imported, 1 to 5 ms each; with sixty of them that was a third of the start of every command.
Here the comparing, hashing and showing methods are shared closures, and the constructor is
compiled when the first object is made. Everything else (`fields`, `replace`, `asdict`, pickling,
matching) is the standard library's. Only what equipoise uses is offered: classes with slots.
"""

import dataclasses
import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True, kw_only: bool = False):
        """Make a class a data class, as `dataclasses.dataclass` does.

        Parameters
        ----------
        slots
            Always True: the constructor writes to the slots.
        frozen
            Whether attributes cannot be assigned to.
        eq
            Whether objects compare by their values, and if frozen hash by them.
        kw_only
            Whether all parameters of the constructor are keywords.

        Raises
        ------
        TypeError
            `slots` is not True.

        >>> @dataclass(frozen=True, slots=True)
        ... class Point:
        ...     "A point."
        ...     x: float
        ...     y: float = 0.0
        >>> Point(1.0), Point(1.0) == Point(1.0, 0.0), dataclasses.replace(Point(1.0), y=2.0)
        (Point(x=1.0, y=0.0), True, Point(x=1.0, y=2.0))
        """
        if slots is not True:
            raise TypeError("a data class of equipoise has slots")

        def decorate(plain: type) -> type:
            made = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=True, kw_only=kw_only
            )(plain)
            made.__init__ = _first_init(made)
            made.__signature__ = _Signature()
            made.__repr__ = _repr
            if eq:
                made.__eq__, made.__hash__ = _comparing(made, hashable=frozen)
            if frozen:
                made.__setattr__, made.__delattr__ = _no_assignment, _no_deletion
                made.__getstate__, made.__setstate__ = _pickling(made)
            return made

        return decorate


_ABSENT: Final[Any] = object()
"""Default of a parameter whose value is made for each object."""


def _first_init(cls: type) -> Callable[..., None]:
    """Return the constructor that compiles the real one, puts it in its place and calls it."""

    def first(self: Any, *args: Any, **given: Any) -> None:
        real = _constructor(cls)
        cls.__init__ = real  # type: ignore[misc]
        real(self, *args, **given)

    return first


def _constructor(cls: type) -> Callable[..., None]:
    """Compile the constructor: one parameter and one slot for each field."""
    space: dict[str, Any] = {"absent": _ABSENT}
    places: list[str] = []
    keywords: list[str] = []
    lines: list[str] = []
    for index, field in enumerate(dataclasses.fields(cls)):
        name = field.name
        parameter, value = name, name
        if field.default is not dataclasses.MISSING:
            space[f"default_{index}"] = field.default
            parameter = f"{name}=default_{index}"
        elif field.default_factory is not dataclasses.MISSING:
            space[f"factory_{index}"] = field.default_factory
            parameter = f"{name}=absent"
            value = f"factory_{index}() if {name} is absent else {name}"
        (keywords if field.kw_only else places).append(parameter)
        space[f"put_{index}"] = getattr(cls, name).__set__
        lines.append(f"    put_{index}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    parameters = ", ".join(["self", *places, *(["*", *keywords] if keywords else [])])
    body = "\n".join(lines or ["    pass"])
    exec(f"def __init__({parameters}):\n{body}", space)  # noqa: S102  (names of fields alone)
    made: Callable[..., None] = space["__init__"]
    made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return made


class _Signature:
    """What `inspect.signature` of a data class returns, worked out when it is asked for."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        maker = next(one for one in owner.__mro__ if "__init__" in vars(one))
        if "__signature__" not in vars(maker):  # a subclass with a constructor of its own
            raise AttributeError("__signature__")
        parameters = sorted(_parameters(maker), key=lambda found: found.kind)
        return inspect.Signature(parameters, return_annotation=None)


def _parameters(cls: type) -> list[inspect.Parameter]:
    found = []
    for field in dataclasses.fields(cls):
        kind = inspect.Parameter.KEYWORD_ONLY if field.kw_only else _POSITIONAL
        default = field.default
        if default is dataclasses.MISSING:
            made = field.default_factory is not dataclasses.MISSING
            default = field.default_factory if made else inspect.Parameter.empty
        found.append(inspect.Parameter(field.name, kind, default=default, annotation=field.type))
    return found


_POSITIONAL: Final = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _comparing(
    cls: type, *, hashable: bool
) -> tuple[Callable[..., Any], Callable[..., int] | None]:
    values = _values_of([field.name for field in dataclasses.fields(cls) if field.compare])

    def equal(self: Any, other: Any) -> Any:
        if other.__class__ is self.__class__:  # not `cls`: subclasses compare by this too
            return values(self) == values(other)
        return NotImplemented

    def hashed(self: Any) -> int:
        return hash(values(self))

    return equal, hashed if hashable else None


def _repr(self: Any) -> str:
    shown = (f.name for f in dataclasses.fields(self) if f.repr)
    inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
    return f"{type(self).__qualname__}({inner})"


def _no_assignment(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deletion(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _pickling(cls: type) -> tuple[Callable[[Any], Any], Callable[[Any, Any], None]]:
    """Return what reads and what writes the values of an object that allows no assignment."""
    names = [field.name for field in dataclasses.fields(cls)]
    values = _values_of(names)
    writers = [getattr(cls, name).__set__ for name in names]

    def write_all(self: Any, state: tuple[Any, ...]) -> None:
        for write, value in zip(writers, state, strict=True):
            write(self, value)

    return lambda self: values(self), write_all
