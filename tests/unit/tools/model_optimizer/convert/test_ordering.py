"""In which order transformations run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomir.tools.model_optimizer.convert.phases import ordered, stable_order
from tests.support import count_calls, raises_error


def names(
    items: Sequence[str],
    before: Mapping[str, Sequence[str]] | None = None,
    after: Mapping[str, Sequence[str]] | None = None,
) -> str:
    first, last = before or {}, after or {}
    return " ".join(ordered(items, lambda i: i, lambda i: first.get(i, ()), lambda i: last.get(i, ())))


def test_what_says_nothing_stays_in_order() -> None:
    assert names(["c", "a", "b"]) == "c a b"


def test_of_those_that_may_come_next_the_one_that_was_given_first() -> None:
    assert names(["a", "b", "c", "d"], after={"a": ["c"]}) == "b c a d"
    assert names(["a", "b", "c", "d"], before={"d": ["b"]}) == "a c d b"
    assert names(["e", "d", "c", "b", "a"], after={"e": ["a"]}) == "d c b a e"


def test_both_sides_may_say_the_same() -> None:
    assert names(["b", "a"], before={"a": ["b"]}, after={"b": ["a"]}) == "a b"


def test_names_that_nothing_has_do_not_count() -> None:
    assert names(["b", "a"], before={"b": ["x"]}, after={"b": ["y"]}) == "b a"


def test_a_cycle_is_told_with_its_path() -> None:
    with raises_error("phase-cycle", "a → b → c → a"):
        names(["start", "a", "b", "c"], before={"a": ["b"], "b": ["c"]}, after={"a": ["c"]})
    with raises_error("phase-cycle", "a → a"):
        names(["a"], after={"a": ["a"]})


def test_two_of_one_name() -> None:
    with raises_error("phase-duplicate", "two transformations called 'a'"):
        names(["a", "b", "a"])


def test_cost_is_that_of_items_and_edges() -> None:
    def calls(count: int) -> int:
        items = [str(n) for n in range(count)]
        after = {str(n): [str(n + 1)] for n in range(count - 1)}
        return count_calls(lambda: names(items, after=after))

    assert calls(800) < 4.5 * calls(200)


def test_the_numbers_of_a_cycle_are_left_out() -> None:
    assert stable_order([{2}, set(), {3}, {2}, {1}]) == [1, 4]
