"""Upstream's tools read GRAPH in the generic form, STRUCTURED and LOOPS as they are (docs/mlir-opt.md)."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import loomir
from loomir.tools.loomir_opt import LoomirOpt
from tests.support_tools import MLIR_OPT, needs

ROOT = Path(__file__).parents[3]
LSP_SERVER = "mlir-lsp-server-22"


@cache
def program(*options: str) -> str:
    """The example's text."""
    tool = LoomirOpt([str(ROOT / "examples/controlflow.xml"), "--full-constants", *options])
    module = loomir.load(ROOT / "examples/controlflow.xml", level="O0").module.clone()
    tool.apply_passes(module)
    return tool.output_resulting_program(module)


READ = {
    "graph": ("--print-op-generic",),
    "structured": ("-O2", "--verify-stage", "structured"),
    "loops": ("-O2", "--verify-stage", "loops"),
}


@needs(MLIR_OPT)
@pytest.mark.parametrize("stage", READ)
def test_mlir_opt_reads_it(stage: str) -> None:
    unregistered = ["--allow-unregistered-dialect"] if stage == "graph" else []
    text = program(*READ[stage])
    done = subprocess.run([MLIR_OPT, *unregistered], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    flow = r"\b(?:ov|scf)\.(?:loop|if|for|while)\b"
    assert re.findall(flow, done.stdout) == re.findall(flow, text)


@needs(MLIR_OPT)
def test_mlir_opt_does_not_read_the_custom_syntax_of_graph() -> None:
    done = subprocess.run(
        [MLIR_OPT, "--allow-unregistered-dialect"],
        input=program(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "custom op 'ov." in done.stderr


def answers(text: str, line: int, column: int) -> dict[Any, Any]:
    """Answers of the language server: diagnostics of the text, and the references (id 2) of the value at a place."""
    document = {"uri": "file:///program.mlir"}
    opened = {"textDocument": document | {"languageId": "mlir", "version": 1, "text": text}}
    place = {"textDocument": document, "position": {"line": line, "character": column}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"method": "textDocument/didOpen", "params": opened},
        {
            "id": 2,
            "method": "textDocument/references",
            "params": place | {"context": {"includeDeclaration": True}},
        },
        {"id": 3, "method": "shutdown", "params": None},
        {"method": "exit", "params": None},
    ]
    sent = b""
    for message in messages:
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        sent += b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    done = subprocess.run([LSP_SERVER], input=sent, capture_output=True, timeout=60, check=False)
    found: dict[Any, Any] = {}
    rest = done.stdout
    while rest:
        head, _, rest = rest.partition(b"\r\n\r\n")
        length = int(re.findall(rb"Content-Length: (\d+)", head)[0])
        message = json.loads(rest[:length])
        found[message.get("id", message.get("method"))] = message
        rest = rest[length:]
    return found


@needs(LSP_SERVER)
@pytest.mark.parametrize("stage", READ)
def test_language_server_reads_it(stage: str) -> None:
    text = program(*READ[stage])
    lines = text.splitlines()
    line, name = next((n, m[0]) for n, each in enumerate(lines) if (m := re.search(r"%\w+(?= =)", each)))
    said = answers(text, line, lines[line].index(name) + 1)
    assert said["textDocument/publishDiagnostics"]["params"]["diagnostics"] == []
    places = [each["range"]["start"]["line"] for each in said[2]["result"]]
    assert line in places
    assert all(name in lines[each] for each in places)
    assert len(places) > 1


@needs(LSP_SERVER)
def test_language_server_says_what_is_wrong() -> None:
    text = program(*READ["graph"])
    broken = re.sub(r'("ov\.\w+"\()%\w+', r"\1%nothing", text, count=1)
    said = answers(broken, 0, 0)["textDocument/publishDiagnostics"]["params"]["diagnostics"]
    assert "undeclared SSA value" in said[0]["message"]
