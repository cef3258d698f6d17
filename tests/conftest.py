"""For every test: an exception that nobody foresaw fails it, even where the test takes any `loomir.Error`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loomir import errors
from loomir.compiler.engines.compiled import CompiledFunction
from loomir.compiler.feeds.signature import ARENA_FILL
from loomir.tools.fuzz.builds import Build
from tests.support_builds import build_of, default_build_of
from tests.tiers import Tiers


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "internal_error: the test makes loomir raise `internal-error` on purpose"
    )
    config.addinivalue_line("markers", "quick: `make quick` runs the test (tests/tiers.py)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the tier, and mark those of `make quick`."""
    tiers = Tiers()
    for item in items:
        if tiers.is_quick(item.nodeid):
            item.add_marker("quick")
    if config.option.keyword or any("::" in argument for argument in config.args):
        return
    selected = tiers.selected(item.nodeid for item in items)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in selected])
    items[:] = [item for item in items if item.nodeid in selected]


@pytest.fixture(autouse=True)
def _poisoned_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code that reads what it has not written gives something else."""
    monkeypatch.setattr(CompiledFunction, "fill", ARENA_FILL)


@pytest.fixture(autouse=True)
def _nothing_unforeseen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`internal-error` is for users: in a test it is a failure."""
    seen: list[Exception] = []
    answer = errors.internal_error

    def recorded(error: Exception) -> errors.Error:
        seen.append(error)
        return answer(error)

    monkeypatch.setattr(errors, "internal_error", recorded)
    yield
    if seen and request.node.get_closest_marker("internal_error") is None:
        raise AssertionError(f"not foreseen: {seen[0]!r}") from seen[0]


@pytest.fixture
def rotated_build(request: pytest.FixtureRequest) -> Iterator[Build]:
    """Native code of this test is in a build of its own: `pytestmark = pytest.mark.usefixtures("rotated_build")` for a net."""
    with build_of(request.node.name).chosen():
        yield build_of(request.node.name)


@pytest.fixture
def default_build(request: pytest.FixtureRequest) -> Iterator[Build]:
    """Native code of this test is for the machine that users get, by one compiler or the other."""
    with default_build_of(request.node.name).chosen():
        yield default_build_of(request.node.name)
