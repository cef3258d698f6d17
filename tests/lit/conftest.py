"""Lit tests as pytest items: `pytest tests/lit/passes/graph/ov_if_sink.mlir`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run_lines import LitFailure, LitTest
from tests.support_tools import ALL_TESTS

SUFFIXES = (".mlir", ".onnxtxt", ".test")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file under tests/lit."""
    return LitFile.from_parent(parent, path=file_path) if file_path.suffix in SUFFIXES else None


class LitFile(pytest.File):
    """A file with RUN lines, which is one test."""

    def collect(self) -> Iterator[pytest.Item]:
        yield LitItem.from_parent(self, name="lit")


class LitItem(pytest.Item):
    """All RUN lines of a file."""

    def runtest(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            test = LitTest(self.path, Path(folder))
            if test.missing and not ALL_TESTS:
                pytest.skip(f"{', '.join(test.missing)} is not installed")
            test.run()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style=None):
        """The command and what it printed: no traceback of this file."""
        if isinstance(excinfo.value, LitFailure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The name in reports."""
        return self.path, 0, str(self.path)
