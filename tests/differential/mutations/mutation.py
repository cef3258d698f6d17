"""Description of a planted mistake."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
LIT = ROOT / "tests" / "lit"


@dataclass(frozen=True)
class Mutation:
    """A mistake at one place of a source file, and the tests that are about that place.

    - `file`: from the root; `old` occurs there once, and `new` takes its place;
    - `what`: the mistake in words;
    - `lit`: patterns of files under `tests/lit`;
    - `units`: files under `tests/unit`;
    - `rows`: rows of `docs/optimisations.md`;
    - `tests`: other tests, as pytest names them, under `tests`.

    They are asked in this order, until one fails.
    """

    name: str
    file: str
    old: str
    new: str
    what: str
    lit: tuple[str, ...]
    units: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def lit_tests(self) -> list[Path]:
        """The lit tests. Each pattern must have some."""
        found: dict[Path, None] = {}
        for pattern in self.lit:
            tests = sorted(LIT.glob(pattern))
            assert tests, f"{self.name}: {pattern}: no such lit test"
            found |= dict.fromkeys(tests)
        return list(found)

    def planted(self, source: str) -> str:
        """The source with the mistake."""
        count = source.count(self.old)
        assert count == 1, f"{self.name}: what is to be replaced occurs {count} times in {self.file}"
        return source.replace(self.old, self.new)


@dataclass(frozen=True)
class Place:
    """A source file with the tests that are about it: `place("name", "old", "new", "what")` is a mutation there."""

    file: str
    lit: tuple[str, ...]
    units: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    def __call__(self, name: str, old: str, new: str, what: str) -> Mutation:
        """A mistake in this file."""
        return Mutation(name, self.file, old, new, what, self.lit, self.units, self.rows)
