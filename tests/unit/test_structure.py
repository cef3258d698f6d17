"""The shape of the repository: imports go one way, every operator has all its parts, every error is raised by a test."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from xdsl.irdl import AnyAttr, RangeOf

from loomir.compiler.universe import all_passes, pass_modules
from loomir.dialects import ovseq
from loomir.dialects.ov import operations
from loomir.dialects.ov.base import has_evaluator
from tests.hostile.identifiers import IDENTIFIERS
from tests.import_graph import imported_modules, sources
from tests.support_tools import ALL_TESTS, MLIR_OPT, sanitizing_compilers

ROOT = Path(__file__).parents[2]
LAYERS = ("tools", "compiler", "passes", "dialects")
WITHOUT_PARTS = {"ov.loop", "ov.if", "ov.next", "ov.yield", "ov.custom"}
"""Control flow: evaluated by the graph engine, lowered by convert-ov-loop-to-scf; and what nobody knows."""


def test_imports_go_one_way() -> None:
    """tools → compiler → passes → dialects → loomir.errors; never up, never around the namespace."""
    wrong: list[str] = []
    for path in sources():
        layer = path.relative_to(ROOT).parts[0]
        allowed = LAYERS[LAYERS.index(layer) :]
        for node in ast.walk(ast.parse(path.read_text())):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [a.name for a in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}:{node.lineno}: relative import"
                names = [node.module or ""]
                if node.module == "loomir" and layer != "tools":
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: imports the public interface")
            for name in names:
                head = name.split(".")
                if head[0] in LAYERS:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name} is outside the namespace")
                if head[0] == "loomir" and len(head) > 1 and head[1] in LAYERS and head[1] not in allowed:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {layer} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_through_others() -> None:
    """No cycle of imports, wherever they stand: then each file can be read after those that it builds on."""
    TopologicalSorter(imported_modules()).prepare()  # raises CycleError, with the cycle


BY_KIND_OF_LOOP = {
    "compiler/formats/c/loops.py",
    "compiler/engines/codegen/scalar.py",
    "compiler/engines/computations.py",
    "tools/reduce/control_flow.py",
    "compiler/stages/__init__.py",
    "passes/analysis/value_ranges.py",
}
"""Modules that name the parts of one kind of scf loop.

They print, run, check or count it.
"""


def test_region_flow_alone_knows_what_flows_where() -> None:
    """Only the listed modules name the parts of one loop kind.

    Every other module queries `dialects/region_flow.py` instead.
    """
    parts = {"iter_args", "before_region", "after_region"}
    found: set[str] = set()
    for path in sources():
        tree = ast.walk(ast.parse(path.read_text()))
        if any(isinstance(node, ast.Attribute) and node.attr in parts for node in tree):
            found.add(str(path.relative_to(ROOT)))
    assert found == BY_KIND_OF_LOOP


def test_the_interface_of_main_has_one_owner() -> None:
    """Only `dialects/interface.py` reads and writes attributes of arguments and results."""
    found = {
        str(path.relative_to(ROOT))
        for path in sources()
        if re.search(r"\b(arg_attrs|res_attrs)\b", path.read_text())
    }
    assert found == {"dialects/interface.py"}


def test_plain_names_are_never_imported() -> None:
    """`import dialects` beside `import loomir.dialects` would make every class twice."""
    code = (
        "import sys, loomir\n"
        "from loomir.compiler.universe import all_passes\n"
        "[load() for load in all_passes().values()]\n"
        "import loomir.compiler.model, loomir.tools.loomir_main\n"
        f"print([n for n in {LAYERS!r} if n in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize("op", operations(), ids=lambda o: o.name)
def test_operator_has_all_its_parts(op) -> None:
    """A primitive has numpy semantics and a lowering, a composite a decomposition; each has a docstring with its source."""
    from loomir.passes.graph.lib.decompositions import decomposition_of
    from loomir.passes.structured.lib.lowering import lowering_of

    doc = op.__doc__ or ""
    assert doc, "no docstring"
    assert "OpenVINO" in doc or "ONNX" in doc, "no source in the docstring"
    if op.name in WITHOUT_PARTS:
        return
    if op.COMPOSITE:
        assert decomposition_of(op) is not None
        assert lowering_of(op) is None
        return
    assert has_evaluator(op)
    assert op.name == "ov.constant" or lowering_of(op) is not None
    assert decomposition_of(op) is None


def test_operands_and_results_are_constrained() -> None:
    """Constraints report a wrong operand, however the operation is built."""
    for op in (*operations(), *ovseq.operations()):
        definition = op.get_irdl_definition()
        for name, declared in (*definition.operands, *definition.results):
            of_each = declared.constr.constr if isinstance(declared.constr, RangeOf) else declared.constr
            assert not isinstance(of_each, AnyAttr), f"{op.name}.{name}"


IGNORED = 11
"""Where the type checker is told to look away: what the stubs of other packages lack. Fewer is fine: then write the number here."""


def test_types_are_seldom_ignored() -> None:
    ignored = [
        f"{p.relative_to(ROOT)}"
        for p in sources()
        for line in p.read_text().splitlines()
        if "# pyright:" in line
    ]
    assert len(ignored) <= IGNORED, "\n".join(ignored)


UNASKED = {"arange", "empty", "eye", "full", "indices", "ones", "zeros"}
"""Functions of numpy that allocate arrays of any size."""


def test_evaluation_asks_for_its_memory() -> None:
    """`evaluate` and decompositions make arrays of other shapes than those of arrays that there are in `numerics.py` alone."""
    wrong: list[str] = []
    for folder in ("dialects/ov", "dialects/numerics", "passes/graph/lib/decompositions"):
        # (Contents that intervals are computed of are bounded: CONTENT_LIMIT.)
        apart = {"workspace.py", "shape_rules.py"}
        for path in [p for p in sorted((ROOT / folder).rglob("*.py")) if p.name not in apart]:
            for node in ast.walk(ast.parse(path.read_text())):
                if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                    continue
                if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "np"):
                    continue
                shape = node.args[0] if node.args else None
                given = isinstance(shape, ast.Attribute) or (isinstance(shape, ast.Tuple) and not shape.elts)
                if node.func.attr in UNASKED and not given:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", sorted(pass_modules()))
def test_pass_is_found_documented_and_tested(name: str) -> None:
    pass_class = all_passes()[name]()
    told = (pass_class.__doc__ or "") + (sys.modules[pass_class.__module__].__doc__ or "")
    assert "```" in told, "no IR before and after in the docstring of the pass or its module"
    uses = [p for p in (ROOT / "tests" / "lit").rglob("*") if p.is_file() and name in p.read_text()]
    assert uses, "no lit test runs it"


ERRORS = {"Error": 0, "StageError": 0, "NamedExtents": 0, "as_long": 1, "one_number": 1}
"""Where calls have an identifier among their arguments."""


def error_identifiers() -> set[str]:
    """The literal identifiers of every `Error(…)` in the sources, of what raises one for others, and of every `error=`."""
    found: set[str] = set()
    for path in [*sources(), ROOT / "loomir" / "errors.py"]:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            place = ERRORS.get(getattr(node.func, "id", ""))
            named = [k.value for k in node.keywords if k.arg == "error"]
            if place is not None and len(node.args) > place:
                named.append(node.args[place])
            for argument in named:
                for item in ast.walk(argument):
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        found.add(item.value)
    return found


def test_every_error_is_raised_by_a_test() -> None:
    """`raises_error("id")` in pytest, `[id]` in a CHECK line or an `expected-error` of lit: all fail where the error does not come."""
    raised: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        raised |= set(re.findall(r'raises_error\(\s*"([a-z0-9-]+)"', path.read_text()))
        raised |= set(
            re.findall(r'(?:error=\(|, |(?:lowered|c)_error=)"([a-z0-9]+(?:-[a-z0-9]+)+)"', path.read_text())
        )
        raised |= set(re.findall(r'"\[([a-z0-9-]+)\]" in fails\(', path.read_text()))
    for path in (ROOT / "tests" / "lit").rglob("*"):
        if path.is_file():
            lines = [
                line
                for line in path.read_text().splitlines()
                if re.search(r"//\s*((?!RUN)[A-Z-]+:|expected-error)", line)
            ]
            raised |= set(re.findall(r"\[([a-z0-9]+(?:-[a-z0-9]+)+)\]", "\n".join(lines)))
    missing = error_identifiers() - raised
    assert not missing, f"no test raises: {', '.join(sorted(missing))}"


def test_every_error_is_explained() -> None:
    """`docs/errors.md` has a row for each, and for nothing else (`test_the_identifiers_are_documented`)."""
    assert sorted(IDENTIFIERS) == sorted(error_identifiers()), (
        "tests/hostile/identifiers.py has a row for each error"
    )
    assert [name for name, said in IDENTIFIERS.items() if not all(said) or "|" in "".join(said)] == []


@pytest.mark.skipif(not ALL_TESTS, reason="the optional tools are only promised in CI")
@pytest.mark.parametrize(
    "tool",
    [
        MLIR_OPT,
        "clang",
        "gcc",
        "g++",
        "arm-none-eabi-gcc",
        "qemu-system-arm",
        "riscv64-unknown-elf-gcc",
        "qemu-system-riscv32",
    ],
)
def test_ci_has_the_optional_tools(tool: str) -> None:
    """In CI nothing may be left out for want of a tool."""
    assert shutil.which(tool)


def test_ci_has_sanitizers() -> None:
    """Elsewhere too: a compiler without them is not used with them, and then there must be the other one, or the test is skipped."""
    assert sanitizing_compilers()


def test_oracles_do_not_depend_on_the_processor() -> None:
    """Sessions of ONNX Runtime and compiled models of OpenVINO are made with the options that make them exact on every processor."""
    for path in [p for folder in ("compiler", "tests") for p in (ROOT / folder).rglob("*.py")]:
        # What makes the producers' fixtures runs where loomir is not installed.
        apart = {Path(__file__), ROOT / "tools/fuzz/onnx_oracle.py", ROOT / "tests/producers/fixtures.py"}
        if path in apart:
            continue
        text = path.read_text()
        assert "InferenceSession(" not in text, f"{path.name}: use onnxruntime_session"
        for call in re.findall(r"compile_model\([^\n]*(?:\n[^\n]*){0,2}", text):
            assert "EXACT" in call, f"{path.name}: {call}"


def test_namespace_links_point_to_the_folders() -> None:
    for layer in LAYERS:
        link = ROOT / "loomir" / layer
        assert link.is_symlink()
        assert not os.path.isabs(os.readlink(link))
        assert importlib.import_module(f"loomir.{layer}").__file__
