"""docs/microcontrollers.md says what networks take on microcontrollers: what it says of small ones is what they take today."""

from __future__ import annotations

from pathlib import Path

import pytest
from embedded import BUILDS, CASES, measure, versions
from microcontrollers import CORTEX_M3, CORTEX_M4F, RV32IMAC, Processor

from tests.support_tools import needs
from tests.tiers import THOROUGH

PAGE = Path(__file__).parents[2] / "docs" / "microcontrollers.md"
ADVICE = "run: python benchmarks/embedded.py > docs/microcontrollers.md (make pages)"
ROWS = [(case, processor, *build) for case in CASES for processor in case.processors for build in BUILDS]
QUICK = ("kws_int8, integers", "ad01_int8, integers", "ad01_fp32, floats")
"""Networks that take seconds; a thorough run covers all networks."""


def test_every_row_is_there() -> None:
    table = PAGE.read_text().rpartition("|---:|\n")[2].splitlines()
    assert [line.split(" | ")[:4] for line in table] == [
        [f"| {case}", processor.title, f"`-{level}`", f"`{flag}`"] for case, processor, level, flag in ROWS
    ], ADVICE


def _measured(processor: Processor, tmp_path: Path) -> None:
    """Its rows, where the page was made with these tools; with any others networks run and give the native engine's bits all the same."""
    text = PAGE.read_text()
    said = versions([processor])
    for case, place, level, flag in ROWS:
        if place is processor and (THOROUGH or str(case) in QUICK):
            folder = tmp_path / f"{case}{level}{flag}"
            folder.mkdir()
            row = measure(case, level, flag, processor, folder)
            assert any(f"- {line}\n" not in text for line in said) or row.line() in text, ADVICE


@needs("arm-none-eabi-gcc")
@needs("qemu-system-arm")
@pytest.mark.parametrize("processor", [CORTEX_M4F, CORTEX_M3], ids=lambda p: p.title)
def test_rows_of_a_cortex(processor: Processor, tmp_path: Path) -> None:
    _measured(processor, tmp_path)


@needs("riscv64-unknown-elf-gcc")
@needs("qemu-system-riscv32")
def test_rows_of_a_risc_v(tmp_path: Path) -> None:
    _measured(RV32IMAC, tmp_path)
