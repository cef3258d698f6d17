"""docs/model-optimizer.md: every sentence of the specification has a row, and what a row names is there.

The specification is no part of this repository: what is kept of it is how many sentences, figures, listings and items of lists each of its
sections has.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "model-optimizer.md"
TITLE = "The specification, sentence by sentence"
SENTENCES = {
    "Warning and introduction": 19,
    "In-memory model representation": 25,
    "Model conversion pipeline": 3,
    "Model loading": 19,
    "Operation attributes extracting": 19,
    "Front phase": 19,
    "Partial inference": 45,
    "Middle phase": 6,
    "NHWC to NCHW layout change": 14,
    "Back phase": 9,
    "Intermediate representation emitting": 14,
}
"""By heading, in the specification's order; 192 in all."""
REFERENCE = re.compile(r"`([\w./-]+(?:/|\.(?:py|mlir|onnxtxt|md)))(?:: (\w+))?`")
Row = tuple[str, str, str, str, str]


def sections() -> dict[str, list[Row]]:
    """The cells of each row by heading."""
    _, _, part = PAGE.read_text().partition(f"\n## {TITLE}\n")
    assert part
    found: dict[str, list[Row]] = {}
    for heading, text in re.findall(r"^### (.*)\n((?:(?!### ).*\n)*)", part, re.M):
        lines = [line for line in text.splitlines() if re.match(r"\| \d", line)]
        rows = [tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]) for line in lines]
        assert all(len(row) == 5 for row in rows)
        found[heading] = rows
    return found


ROWS = [row for rows in sections().values() for row in rows]


def test_every_sentence_has_a_row() -> None:
    found = sections()
    assert {heading: len(rows) for heading, rows in found.items()} == SENTENCES
    assert list(found) == list(SENTENCES)
    assert [int(row[0]) for row in ROWS] == list(range(1, sum(SENTENCES.values()) + 1))


def test_every_row_says_what_there_is() -> None:
    """A sentence is done, with a test and a use, or there is nothing to do, with the reason, or it is not there yet."""
    for number, sentence, place, test, use in ROWS:
        assert sentence, number
        if place.startswith("nothing to do: "):
            assert len(place) > len("nothing to do: "), number
            assert (test, use) == ("", ""), number
        elif not place.startswith("not yet: "):
            assert place, number
            assert test, number
            assert use, number


def test_the_page_counts_its_rows() -> None:
    nothing = sum(row[2].startswith("nothing to do: ") for row in ROWS)
    missing = sum("not yet" in row[2] for row in ROWS)
    assert f"Of {len(ROWS)} rows {nothing} ask for nothing" in PAGE.read_text()
    assert f"and {missing} say what is not" in PAGE.read_text()


def resolved(path: str, base: Path) -> Path:
    """A path below the client's folder, below the compiler's, or in full."""
    places = (base / "tools" / "model_optimizer" / path, base / "compiler" / path)
    return next((place for place in places if place.exists()), ROOT / path)


@pytest.mark.parametrize("heading", SENTENCES)
def test_what_rows_name_is_there(heading: str) -> None:
    for number, _, place, test, _ in sections()[heading]:
        for cell, base in ((place, ROOT), (test, ROOT / "tests" / "unit")):
            for path, name in REFERENCE.findall(cell):
                file = resolved(path, base)
                assert file.exists(), f"row {number}: {path}"
                if name:
                    defined = rf"^ *(?:def|class) {name}\b|^{name}\b.*="
                    assert re.search(defined, file.read_text(), re.M), f"row {number}: {path}: {name}"
        if not place.startswith("nothing to do: ") and test:
            assert REFERENCE.search(test), f"row {number}: {test}"
