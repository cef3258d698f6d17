"""The two files: what the header promises, how weights are written, that nothing of a model breaks them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, NameLoc, NoneAttr, StringAttr
from xdsl.dialects.func import FuncOp

from loomir.compiler.formats.c.emit import emit_c, write_c
from loomir.compiler.formats.c.expressions import float_literal, initialiser
from loomir.compiler.formats.mlir.parser import parse_module
from loomir.dialects.attributes import Blob, BlobAttr
from tests.support import count_calls, raises_error
from tests.support_c import compile_strict, run_sanitized
from tests.support_tools import c_compilers, needs

MODEL = """
builtin.module attributes {loomir.name = "kws"} {
  func.func @main(%x: memref<2x3xf32> {loomir.name = "input", loomir.role = "input"},
      %w: memref<3xf32> {loomir.blob = dense<[0.1, -2.5, 1.0e10]> : tensor<3xf32>},
      %unused: memref<3xf32> {loomir.blob = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
      %y: memref<2x3xf32> {loomir.name = "output", loomir.role = "output"},
      %arena: memref<48xi8> {loomir.role = "arena", loomir.align = 16 : i64}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %t = memref.view %arena[%c0][] : memref<48xi8> to memref<2x3xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %a = memref.load %x[%i, %j] : memref<2x3xf32>
        %b = memref.load %w[%j] : memref<3xf32>
        %p = arith.mulf %a, %b : f32
        memref.store %p, %t[%i, %j] : memref<2x3xf32>
      }
    }
    "memref.copy"(%t, %y) : (memref<2x3xf32>, memref<2x3xf32>) -> ()
    func.return
  }
}"""

ROOT = Path(__file__).parents[5]
W = np.array([0.1, -2.5, 1e10], np.float32)


def test_it_runs() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(run_sanitized(parse_module(MODEL), {"input": x})["output"], x * W)


def test_sizes() -> None:
    code = emit_c(parse_module(MODEL), "kws")
    assert (code.arena_bytes, code.weight_bytes, code.alignment) == (48, 12, 16)
    assert "#define KWS_ARENA_BYTES 48" in code.header
    assert "#define KWS_ARENA_ALIGN 16" in code.header
    assert "0.1f, -2.5f, 1e+10f" in code.source
    assert "kws_w1" not in code.source
    assert code.source == emit_c(parse_module(MODEL), "kws").source


def test_weights_by_pointer() -> None:
    code = emit_c(parse_module(MODEL), "kws", weights="pointer")
    assert "static const" not in code.source
    assert "const float *w0" in code.header
    assert len(code.weights) == 1


CALL = """#include "kws.h"
{snippet}
    return kws_run(input, output, NULL) != {without};
}}
"""


@pytest.mark.parametrize("bytes_", [0, 48])
def test_the_call_that_the_page_shows_compiles(bytes_: int, tmp_path: Path) -> None:
    """With an arena or without need of one: docs/embedded.md."""
    (snippet, *_) = re.findall(r"```c\n(.*?)```", (ROOT / "docs" / "embedded.md").read_text(), re.S)
    declaration, _, rest = snippet.partition("\n")
    function = f"{declaration}\nint main(void)\n{{\n    static float input[6], output[6];\n{rest}"
    text = MODEL
    if not bytes_:
        view = next(line for line in MODEL.splitlines() if "memref.view" in line)
        copy = next(line for line in MODEL.splitlines() if "memref.copy" in line)
        arena = re.search(r",\s*%arena: .*}\)", MODEL)
        assert arena
        text = MODEL.replace(view, "").replace(copy, "").replace(arena[0], ")").replace("%t[", "%y[")
    write_c(emit_c(parse_module(text), "kws"), tmp_path)
    without = "KWS_ERROR_ARENA" if bytes_ else "KWS_OK"
    (tmp_path / "main.c").write_text(CALL.format(snippet=function, without=without))
    for compiler in c_compilers():
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "main.c", "kws.c"]
        subprocess.run([*command, "-o", "main", "-lm"], cwd=tmp_path, check=True)
        subprocess.run([tmp_path / "main"], check=True)


def test_arena_is_checked(tmp_path: Path) -> None:
    """A missing or crooked arena is an error status; one of the header's own type is aligned."""
    write_c(emit_c(parse_module(MODEL), "kws"), tmp_path)
    (tmp_path / "main.c").write_text(
        """
        #include "kws.h"
        static kws_arena arena;
        int main(void)
        {
            static const float x[6] = {1, 2, 3, 4, 5, 6};
            static float y[6];
            if (kws_run(x, y, NULL) != KWS_ERROR_ARENA) { return 1; }
            if (kws_run(x, y, arena.bytes + 8) != KWS_ERROR_ARENA) { return 2; }
            if (kws_run(x, y, &arena) != KWS_OK) { return 3; }
            return y[1] == -5.0f ? 0 : 4;
        }
        """
        + "\n"
    )
    for compiler in c_compilers():
        for standard in ("c99", "c11"):
            warn = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
            command = [compiler, f"-std={standard}", *warn, "main.c", "kws.c", "-o", "run"]
            subprocess.run(command, cwd=tmp_path, check=True)
            assert subprocess.run([tmp_path / "run"], check=False).returncode == 0


@needs("g++")
@pytest.mark.parametrize("standard", ["c++98", "c++11", "c++20"])
def test_header_is_cplusplus(tmp_path: Path, standard: str) -> None:
    write_c(emit_c(parse_module(MODEL), "kws"), tmp_path)
    (tmp_path / "use.cc").write_text(
        '#include "kws.h"\nkws_status (*f)(const float *, float *, void *) = kws_run;\n'
    )
    # <stdint.h> of C++98 mode has long long, which -Wpedantic would name.
    command = ["g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-c", "use.cc"]
    subprocess.run(command, cwd=tmp_path, check=True)
    symbols = subprocess.run(["nm", "use.o"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert " U kws_run" in symbols, "extern C"


def renamed(names: list[str], model: str = "kws") -> ModuleOp:
    """The model with other tensor names and a location everywhere."""
    module = parse_module(MODEL)
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    attrs = [dict(a.data) for a in function.arg_attrs or ()]
    for k, name in zip((0, 3), names):
        attrs[k]["loomir.name"] = StringAttr(name)
    function.arg_attrs = ArrayAttr([DictionaryAttr(a) for a in attrs])
    module.attributes["loomir.name"] = StringAttr(model)
    for op in function.walk():
        op.location = NameLoc(StringAttr(names[0]), NoneAttr())
    return module


HOSTILE = [
    ["*/ int x; /*", "??/\n#error"],
    ["for", "for"],
    ["int", "kws_run"],
    ["arena", "memcpy"],
    ["\\", "\u202e\u0000"],
    ["kws_w0", "KWS_OK"],
    ["a" * 500, "a" * 500],
    ["NULL", "size_t"],
    ["i", "j"],
]


@pytest.mark.parametrize("names", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("model", ["kws", "float", "8 ö*/", "string", "E1", "var"])
def test_hostile_names(tmp_path: Path, names: list[str], model: str) -> None:
    code = emit_c(renamed(names, model), model)
    for text in (code.header, code.source):
        assert text.isascii()
        assert "#error" not in re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        assert "??" not in text
    compile_strict(code, tmp_path, c_compilers()[0], ["-O0"])


def test_layers_are_named_once() -> None:
    source = emit_c(renamed(["block1/conv", "out"]), "kws").source
    assert source.count("/* block1/conv */") == 1


def test_initialisers_are_exact() -> None:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 1 << 32, 20000, dtype=np.uint64).astype(np.uint32)
    special = np.array([0, 0x80000000, 1, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000], np.uint32)
    floats = np.concatenate([bits, special]).view(np.float32)
    texts = " ".join(initialiser(floats)).split(", ")
    table = {"INFINITY": np.inf, "-INFINITY": -np.inf, "NAN": np.nan}
    again = np.array([table[t] if t in table else np.float32(t.rstrip("f")) for t in texts], np.float32)
    number = ~np.isnan(floats)
    np.testing.assert_array_equal(again.view(np.uint32)[number], floats.view(np.uint32)[number])
    assert np.isnan(again[~number]).all()
    assert all(t in table or "." in t or "e" in t for t in texts), (
        "a float literal needs a point or an exponent"
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.bool_, np.float64, np.float16])
def test_weights_of_every_type(tmp_path: Path, dtype: type) -> None:
    """The compiler takes the extreme values of each type without a warning."""
    kind = np.dtype(dtype).kind
    values = np.array([0, 1], dtype) if kind == "b" else np.array([0, 1, 2], dtype)
    if kind in "iu":
        values = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype)
    if kind == "f":
        values = np.array(
            [-np.inf, np.nan, 1 / 3, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal], dtype
        )
    stored = np.dtype(np.int8) if dtype is np.uint8 else np.dtype(dtype)
    element = {"b": "i1", "f": f"f{8 * stored.itemsize}", "i": f"i{8 * stored.itemsize}"}[stored.kind]
    n = values.size
    module = parse_module(f"""
        func.func @main(%w: memref<{n}x{element}>, %y: memref<{n}x{element}> {{loomir.role = "output"}}) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant {n} : index
          scf.for %i = %c0 to %n step %c1 {{
            %v = memref.load %w[%i] : memref<{n}x{element}>
            memref.store %v, %y[%i] : memref<{n}x{element}>
          }}
          func.return
        }}""")
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    function.arg_attrs = ArrayAttr(
        [
            DictionaryAttr({"loomir.blob": BlobAttr(Blob(values))}),
            DictionaryAttr({"loomir.role": StringAttr("output")}),
        ]
    )
    actual = run_sanitized(module, {})["result0"]
    if kind == "f":
        np.testing.assert_array_equal(actual, values)
    else:
        assert actual.tobytes() == values.tobytes()


def test_large_floats_have_exponents_in_every_version_of_numpy() -> None:
    floats = np.array([999999, 1e6, 16777216, -1.5e15, 1e16, 1e-5], np.float32)
    wanted = ["999999.0f", "1e+06f", "1.6777216e+07f", "-1.5e+15f", "1e+16f", "1e-05f"]
    assert ", ".join(initialiser(floats)).split(", ") == wanted
    assert [float_literal(float(value), "f32").text for value in floats] == wanted


def test_large_weights_are_printed_in_bulk() -> None:
    """A megabyte of f32 without a Python function per element."""
    array = np.random.default_rng(0).normal(size=262144).astype(np.float32)
    assert count_calls(lambda: "\n".join(initialiser(array))) < array.size * 3
    assert "\n".join(initialiser(array)).count(",") == array.size - 1


def test_files_appear_at_once(tmp_path: Path) -> None:
    code = emit_c(parse_module(MODEL), "kws")
    header, source = write_c(code, tmp_path / "new" / "folder")
    assert header.read_text() == code.header
    assert source.read_text() == code.source
    assert sorted(p.name for p in header.parent.iterdir()) == ["kws.c", "kws.h"]
    mask = os.umask(0)
    os.umask(mask)
    assert header.stat().st_mode & 0o777 == 0o666 & ~mask


@pytest.mark.parametrize("folder", ["file", "file/below", "with\0nul"])
def test_folders_that_cannot_be(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with raises_error("file-unwritable", "cannot be written"):
        write_c(emit_c(parse_module(MODEL), "kws"), tmp_path / folder)


def test_work_grows_linearly() -> None:
    """Operations in one block, each used far away: four times as many are four times the work."""

    def calls(n: int) -> int:
        loads = "\n".join(f"%v{k} = memref.load %x[%c{k % 8}] : memref<8xf32>" for k in range(n))
        stores = "\n".join(f"memref.store %v{n - 1 - k}, %y[%c{k % 8}] : memref<8xf32>" for k in range(n))
        constants = "\n".join(f"%c{k} = arith.constant {k} : index" for k in range(8))
        module = parse_module(f"""
            func.func @main(
                %x: memref<8xf32> {{loomir.role = "output"}}, %y: memref<8xf32> {{loomir.role = "output"}}) {{
              {constants}
              {loads}
              {stores}
              func.return
            }}""")
        return count_calls(lambda: emit_c(module, "m"))

    assert calls(1000) < 6 * calls(250)
