"""Data classes of equipoise behave as those of the standard library."""

import copy
import dataclasses
import inspect
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field

import pytest

from equipoise import domain
from equipoise.structs import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """A frozen one."""

    name: str
    size: int = 3
    parts: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("size")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Theirs:
    """A frozen one."""

    name: str
    size: int = 3
    parts: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list, compare=False, repr=False)

    def __post_init__(self):
        if self.size < 0:
            raise ValueError("size")


@dataclass(slots=True)
class Open:
    """One that can change."""

    first: int
    second: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class Alone:
    """One that is only equal to itself."""

    value: int = 1


GIVEN = [{"name": "a"}, {"name": "a", "size": 4, "parts": (1, 2)}, {"name": "b", "notes": ["x"]}]


@pytest.mark.parametrize("given", GIVEN)
def test_made_shown_and_taken_apart_as_by_the_standard_library(given):
    ours, theirs = Ours(**given), Theirs(**given)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert hash(ours) == hash(theirs)
    assert dataclasses.replace(ours, size=9) == Ours(**{**given, "size": 9})
    shown, expected = (
        [(p.name, p.kind, p.annotation) for p in inspect.signature(cls).parameters.values()]
        for cls in (Ours, Theirs)
    )
    assert shown == expected
    assert Ours.__match_args__ == Theirs.__match_args__
    assert not hasattr(ours, "__dict__")


def test_equal_by_the_compared_values_of_the_same_class():
    one, other = Ours(name="a", notes=["x"]), Ours(name="a", notes=["y"])
    assert one == other
    assert len({one, other}) == 1
    assert one != Ours(name="b")
    assert one != Theirs(name="a")
    assert Ours(name="a").notes is not Ours(name="a").notes
    assert Alone() != Alone()
    assert len({Alone(), Alone()}) == 2


@pytest.mark.parametrize("given", [{}, {"nam": "a"}, {"name": "a", "extra": 1}])
def test_wrong_arguments_are_type_errors(given):
    with pytest.raises(TypeError):
        Ours(**given)
    with pytest.raises(TypeError):
        Ours("a")


def test_checks_after_the_making_hold():
    with pytest.raises(ValueError, match="size"):
        Ours(name="a", size=-1)


def test_frozen_means_frozen():
    one = Ours(name="a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        one.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del one.name
    with pytest.raises(AttributeError):
        one.unknown = 1


@pytest.mark.parametrize(
    "through", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("one", [Ours(name="a", size=5, notes=["x"]), Open(1, [2]), Open(3)])
def test_copies_are_equal(one, through):
    twin = through(one)
    assert twin == one
    assert type(twin) is type(one)
    if isinstance(one, Ours):
        assert twin.notes == one.notes


def test_an_open_one_can_change_and_has_no_hash():
    one = Open(1)
    one.second.append(5)
    one.first = 2
    assert one == Open(2, [5])
    assert repr(one) == "Open(first=2, second=[5])"
    with pytest.raises(TypeError):
        hash(one)
    match one:
        case Open(first, second):
            assert (first, second) == (2, [5])


def test_only_with_slots():
    with pytest.raises(TypeError, match="has slots"):
        dataclass(slots=False)


def test_public_records_show_their_parameters():
    shown = inspect.signature(domain.Run).parameters
    assert list(shown) == [entry.name for entry in dataclasses.fields(domain.Run)]
    assert shown["path"].kind is inspect.Parameter.KEYWORD_ONLY


class OursBelow(Ours):
    """Derived by a user, as is."""


class OursMade(Ours):
    """Derived by a user, with a constructor of its own."""

    def __init__(self, text):
        super().__init__(name=text)


class TheirsBelow(Theirs):
    """The same of the standard library."""


class TheirsMade(Theirs):
    """The same of the standard library."""

    def __init__(self, text):
        super().__init__(name=text)


@pytest.mark.parametrize(
    ("plain", "below", "made"), [(Ours, OursBelow, OursMade), (Theirs, TheirsBelow, TheirsMade)]
)
def test_derived_classes_behave_as_those_of_the_standard_library(plain, below, made):
    assert below(name="a") == below(name="a")
    assert hash(below(name="a")) == hash(below(name="a"))
    assert below(name="a") != plain(name="a")
    assert plain(name="a") != below(name="a")
    assert repr(below(name="a", size=4)).startswith(f"{below.__name__}(name='a', size=4")
    assert made("a").name == "a"
    assert inspect.signature(below) == inspect.signature(below)
    assert list(inspect.signature(below).parameters) == ["name", "size", "parts", "notes"]
    assert list(inspect.signature(made).parameters) == ["text"]
    assert inspect.signature(below).return_annotation is None


def test_threads_that_make_the_first_object_at_once_all_get_one():
    for _ in range(20):

        @dataclass(frozen=True, slots=True)
        class Fresh:
            """One whose constructor nobody has called."""

            value: int
            more: list[int] = field(default_factory=list)

        barrier = threading.Barrier(4)

        def make(value, barrier=barrier, fresh=Fresh):
            barrier.wait()
            return fresh(value)

        with ThreadPoolExecutor(4) as pool:
            made = list(pool.map(make, range(4)))
        assert made == [Fresh(value) for value in range(4)]
        assert len({id(one.more) for one in made}) == 4
