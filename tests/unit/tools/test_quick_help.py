"""`--help` loads nothing but what it prints: neither numpy nor xDSL, which take longer than all the rest."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "command", [[], ["run"], ["compile"], ["inspect"], ["export"], ["convert"], ["compare"]]
)
def test_help_loads_no_large_package(command: list[str]) -> None:
    script = (
        "import sys\n"
        "from loomir.tools.loomir_main import main\n"
        "try:\n"
        f"    main([*{command!r}, '--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "print([n for n in ('numpy', 'onnx', 'rich', 'xdsl') if n in sys.modules])\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines()[-1] == "[]"
