"""The command line: what it prints, and errors without a traceback."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from loomir.tools.loomir_main import main
from loomir.tools.loomir_opt import LoomirOpt

EXAMPLES = Path(__file__).parents[3] / "examples"
MODEL = str(EXAMPLES / "controlflow.xml")


def fails(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a command that must fail with 1."""
    with pytest.raises(SystemExit) as info:
        main(arguments)
    assert info.value.code == 1
    message = capsys.readouterr().err
    assert message.startswith("loomir: error: ")
    assert len(message.splitlines()) <= 3
    return message


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", "-O1", MODEL, "--passes"])
    text = capsys.readouterr().out
    for words in ("input x: float32[8,16]", "TensorIterator_9", "trips 1..10", "if 'If_31'", "plan-memory"):
        assert words in text


def test_inspect_shows_what_is_of_integers_and_what_of_floats(capsys: pytest.CaptureFixture[str]) -> None:
    network = ["inspect", str(EXAMPLES.parent / "tests" / "fixtures" / "ad01_int8.xml")]
    main([*network, "--integers"])
    assert "integers: 10 of 10 convolutions and products; floats: none" in " ".join(
        capsys.readouterr().out.split()
    )
    main(network)
    assert "integers:" not in capsys.readouterr().out


def test_inspect_text_of_a_stage(capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", MODEL, "--mlir", "--stage", "loops"])
    assert "scf.while" in capsys.readouterr().out


@pytest.mark.parametrize(("stage", "loop"), [("graph", "ov.loop"), ("loops", "scf.while")])
def test_inspect_as_a_graph(stage: str, loop: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inspect", MODEL, "--dot", "--stage", stage])
    text = capsys.readouterr().out
    assert text.startswith("digraph program {")
    assert f'label="{loop}\\nLoop_45"' in text


def test_run_is_the_same_in_every_engine(tmp_path: Path) -> None:
    x = tmp_path / "x.npy"
    np.save(x, np.random.default_rng(0).standard_normal((8, 16)).astype(np.float32))
    results = []
    for engine in ("graph", "structured", "loops", "native"):
        main(
            [
                "run",
                MODEL,
                "--engine",
                engine,
                "--input",
                f"x={x}",
                "--output",
                str(tmp_path / f"{engine}.npz"),
            ]
        )
        with np.load(tmp_path / f"{engine}.npz") as stored:
            results.append({k: stored[k] for k in stored.files})
    for other in results[1:]:
        assert other.keys() == results[0].keys()
        for name, value in other.items():
            np.testing.assert_allclose(value, results[0][name], rtol=1e-4, atol=1e-5)


def test_run_prints(capsys: pytest.CaptureFixture[str]) -> None:
    main(["run", MODEL, "--seed", "1", "--pipeline", "ov-loop-unroll{max-trips=8}"])
    assert "smooth: float32[8, 16]" in capsys.readouterr().out


def test_run_with_sequences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An archive of arrays is a sequence; results are printed and stored element by element."""
    source = tmp_path / "s.mlir"
    source.write_text("""
    func.func @main(%s: !ovseq.sequence<tensor<?xf32>> {loomir.name = "s"})
        -> (!ovseq.sequence<tensor<?xf32>> {loomir.name = "t"}, !ovseq.optional<tensor<*xf32>> {loomir.name = "o"}) {
      %t = ovseq.erase %s : (!ovseq.sequence<tensor<?xf32>>) -> !ovseq.sequence<tensor<?xf32>>
      %o = ovseq.none {value_type = tensor<*xf32>} : !ovseq.optional<tensor<*xf32>>
      func.return %t, %o : !ovseq.sequence<tensor<?xf32>>, !ovseq.optional<tensor<*xf32>>
    }""")
    fed = tmp_path / "fed.npz"
    np.savez(fed, np.ones(2, np.float32), np.zeros(3, np.float32), np.ones(1, np.float32))
    main(["run", str(source), "--engine", "graph", "--input", f"s={fed}"])
    printed = capsys.readouterr().out
    assert "t: sequence of 2\nt[0]: float32[2]\n[1. 1.]\nt[1]: float32[3]" in printed
    assert "o: none" in printed
    stored = tmp_path / "t.npz"
    main(["run", str(source), "--engine", "graph", "--input", f"s={fed}", "--output", str(stored)])
    with np.load(stored) as arrays:
        assert sorted(arrays.files) == ["t[0]", "t[1]"]
    main(["inspect", str(source)])
    assert "input s: sequence of float32[?]" in capsys.readouterr().out


def test_compile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["compile", MODEL, "-o", str(tmp_path / "out"), "--name", "flow"])
    assert "flow_run(" in (tmp_path / "out" / "flow.h").read_text()
    assert "arena" in capsys.readouterr().out


@pytest.mark.parametrize("name", [None, "flow", "2 x/y", "../up", "for", "_x__y_"])
def test_compile_prints_the_files_that_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str | None
) -> None:
    main(["compile", MODEL, "-o", str(tmp_path / "out"), *(["--name", name] if name else [])])
    printed = capsys.readouterr().out.splitlines()[0].split(", ")
    assert sorted(printed) == sorted(map(str, (tmp_path / "out").iterdir()))


def test_compile_with_a_bounded_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(Path(__file__).parents[2] / "fixtures" / "ad01_fp32.xml")
    assert "[dynamic-input]" in fails(capsys, "compile", model, "-o", str(tmp_path), "--name", "ad")
    main(["compile", model, "-o", str(tmp_path), "--name", "ad", "--max-shape", "input_1=4,?"])
    assert "at most [4,640]" in (tmp_path / "ad.h").read_text()


@pytest.mark.parametrize("name", ["ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"])
def test_compile_names_the_shape_to_give(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Published networks have an open batch: with what the error says, as it stands, there is C."""
    command = (
        "compile",
        "-O0",
        str(Path(__file__).parents[2] / "fixtures" / f"{name}.xml"),
        "-o",
        str(tmp_path),
    )
    (advice,) = re.findall(r"--shape [\w=,]+", fails(capsys, *command))
    main([*command, *advice.split()])
    assert "arena" in capsys.readouterr().out


def test_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "[file-unreadable]" in fails(capsys, "run", "nowhere.xml")
    assert "[unknown-input]" in fails(capsys, "run", MODEL, "--shape", "y=1")
    assert "[bad-option]" in fails(capsys, "run", MODEL, "--shape", "y")
    assert "[bad-option]" in fails(capsys, "run", MODEL, "--input", "x")
    assert "[bad-option]" in fails(capsys, "run", MODEL, "--max-shape", "x=8,-1")
    assert "[file-unreadable]" in fails(capsys, "run", MODEL, "--input", "x=nowhere.npy")
    assert "[input-unknown]" in fails(capsys, "run", MODEL, "--input", f"z={_array(tmp_path)}")
    assert "[input-shape]" in fails(capsys, "run", MODEL, "--input", f"x={_array(tmp_path)}")
    (tmp_path / "file").write_text("")
    below_a_file = str(tmp_path / "file" / "out")
    assert "[file-unwritable]" in fails(capsys, "compile", MODEL, "-o", below_a_file)
    assert "[file-unwritable]" in fails(capsys, "run", MODEL, "--output", below_a_file)
    assert "[bad-pipeline]" in fails(capsys, "inspect", MODEL, "--pipeline", "nothing")


@pytest.mark.parametrize(
    ("command", "identifier"),
    [
        ("run -O3", "bad-option"),
        ("inspect -Oz --print-pipeline", "bad-option"),
        ("inspect --remarks=xml", "bad-option"),
        ("run --max-iterations -1", "bad-option"),
        ("run --max-bytes -1", "bad-option"),
        ("run --max-capacity -1", "bad-option"),
        ("run --max-capacity 9223372036854775808", "bad-option"),
        ("run --seed -1", "bad-option"),
        ("run --check-each-pass --check-feeds 0", "bad-option"),
        ("run --check-each-pass --check-seed -1", "bad-option"),
        ("run --check-each-pass --reduce-seconds nan", "bad-option"),
        ("run --shape x=9223372036854775808,16", "bad-shape"),
        ("run --max-shape x=9223372036854775808,16", "bad-shape"),
        ("run --shape x=8", "shape-mismatch"),
        ("run --value x=", "bad-option"),
        ("run --value x=1,two", "bad-option"),
        ("run --value x=1", "value-mismatch"),
        ("run --value y=1", "unknown-input"),
        ("run --shape x=8,16 --shape x=8,16", "bad-option"),
        ("run --value x=1 --value x=2", "bad-option"),
        ("run --pipeline cse{x=1}", "bad-pipeline"),
        ("inspect --stage loops --capacity 0", "bad-option"),
        ("compile --capacity 2147483648", "bad-option"),
        ("compile --max-iterations 1", "2"),
    ],
)
def test_options_that_cannot_be(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, identifier: str
) -> None:
    word, *options = command.split()
    output = ["-o", str(tmp_path)] if word == "compile" else []
    if identifier.isdigit():
        with pytest.raises(SystemExit) as info:
            main([word, MODEL, *options, *output])
        assert info.value.code == int(identifier)
        return
    assert f"[{identifier}]" in fails(capsys, word, MODEL, *options, *output)


def test_inputs_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.npy"
    _array(tmp_path)
    whole = (tmp_path / "array.npy").read_bytes()
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("a.txt", "text")
    texts = (tmp_path / "text.npz").read_bytes()
    huge = whole.replace(b"(1, 1), }" + b" " * 15, b"(1152921504606846975,), }"[:24].ljust(24))
    for data in (b"", b"text", whole[:-1], whole[:20], huge, b"PK\3\4" + texts[4:40], texts[:-9]):
        path.write_bytes(data)
        assert "[file-unreadable]" in fails(capsys, "run", MODEL, "--input", f"x={path}"), data
    np.save(path, np.array([{}]), allow_pickle=True)
    assert "[file-unreadable]" in fails(capsys, "run", MODEL, "--input", f"x={path}")
    assert "[file-unreadable]" in fails(capsys, "run", MODEL, "--input", f"x={tmp_path}")
    assert "[file-unreadable]" in fails(capsys, "run", MODEL, "--input", "x=a\0b")
    assert "[input-dtype]" in fails(capsys, "run", MODEL, "--input", f"x={tmp_path / 'text.npz'}")
    np.save(path, np.array(["a"]))
    assert "[input-dtype]" in fails(capsys, "run", MODEL, "--input", f"x={path}")
    twice = ["--input", f"x={tmp_path / 'array.npy'}"] * 2
    assert "[bad-option]" in fails(capsys, "run", MODEL, *twice)


def _array(folder: Path) -> Path:
    path = folder / "array.npy"
    np.save(path, np.zeros((1, 1), np.float32))
    return path


def test_truncated_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(MODEL, tmp_path / "m.xml")
    (tmp_path / "m.bin").write_bytes(b"123")
    message = fails(capsys, "inspect", str(tmp_path / "m.xml"))
    assert "[bin-range]" in message
    assert "truncated" in message


def test_semantics(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The tools warn on standard error of what ONNX Runtime reads differently, and read it so when asked to."""
    path = tmp_path / "break.onnxtxt"
    path.write_text(
        """<ir_version: 10, opset_import: ["" : 21]>
        g (int64 n, int64 x) => (int64 y) {
            y = Loop (n, "", x) <body = b (int64 i, bool c, int64 a) => (bool d, int64 s) {
                s = Add (a, i)
                two = Constant <value_int = 2> ()
                d = Less (i, two)
            }>
        }"""
    )
    feed = ["--value", "n=9", "--value", "x=0", "--engine", "graph"]
    main(["run", str(path), *feed])
    text = capsys.readouterr()
    assert "36" in text.out
    assert text.err.startswith(f"loomir: warning: {path}: 'Loop:y' (Loop): its condition is missing")
    assert "--semantics onnxruntime" in text.err
    main(["run", str(path), *feed, "--semantics", "onnxruntime"])
    text = capsys.readouterr()
    assert "3" in text.out
    assert not text.err
    LoomirOpt([str(path)]).run()
    assert capsys.readouterr().err.startswith("loomir-opt: warning: ")


@pytest.mark.parametrize("tool", [["loomir_main", "inspect", "--mlir"], ["loomir_opt"]])
def test_a_reader_that_has_seen_enough(tool: list[str], tmp_path: Path) -> None:
    """`loomir-opt model.mlir | head -1` says nothing of it."""
    path = tmp_path / "long.mlir"
    lines = "".join(f"  %{k + 1} = ov.exp %{k} : (tensor<f32>) -> tensor<f32>\n" for k in range(2000))
    path.write_text(
        f"func.func @main(%0: tensor<f32>) -> tensor<f32> {{\n{lines}  func.return %2000 : tensor<f32>\n}}"
    )
    command = [sys.executable, "-m", f"loomir.tools.{tool[0]}", *tool[1:], str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
