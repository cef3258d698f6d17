"""External data: which places are read, and which are not, whatever links there are."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto

import loomir
from loomir.compiler.files import map_below
from loomir.tools.loomir_main import main
from loomir.tools.loomir_opt import LoomirOpt
from tests.support import raises_error

X = np.array([1, -2], np.float32)
WEIGHTS = np.array([10, 20, 30, 40], np.float32)


def model(**fields: str) -> onnx.ModelProto:
    """y = x + w, where `w` is in another file."""
    text = '<ir_version: 8, opset_import: ["": 17]> g (float[2] x) => (float[2] y) { y = Add (x, w) }'
    proto = onnx.parser.parse_model(text)
    tensor = proto.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[2])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in fields.items():
        tensor.external_data.add(key=key, value=value)
    return proto


def saved(folder: Path, name: str = "m.onnx", **fields: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(model(**fields).SerializeToString())
    return folder / name


def gives(program: loomir.Model, first: int = 0) -> None:
    outputs = program.run({"x": X}, engine="graph")
    np.testing.assert_array_equal(outputs["y"], X + WEIGHTS[first : first + 2])


@pytest.mark.parametrize(("offset", "length", "first"), [("0", "8", 0), ("08", "08", 2), ("4", "8", 1)])
def test_places_in_the_file(offset: str, length: str, first: int, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    gives(loomir.load(saved(tmp_path, location="w.bin", offset=offset, length=length)), first)


@pytest.mark.parametrize(
    "number", ["0_0", "8 ", " 8", "+8", "-8", "8.0", "0x8", "٨", "²", "", "8\n", "9" * 5000]
)
@pytest.mark.parametrize("field", ["offset", "length"])
def test_numbers_that_are_none(field: str, number: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    fields = {"location": "w.bin", "offset": "0", "length": "8"} | {field: number}
    with raises_error("external-data", "tensor 'w'", field, "digits", "m.onnx", "(Add)"):
        loomir.load(saved(tmp_path, **fields))


@pytest.mark.parametrize(
    "location", ["w.bin/", "w.bin/.", "w.bin//", "w.bin/../w.bin", "", ".", "inner", "inner/"]
)
def test_locations_that_are_no_file(location: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "inner").mkdir()
    path = saved(tmp_path, location=location)
    for root in (None, tmp_path, "/"):
        with raises_error("external-data", "tensor 'w'", "not a file"):
            loomir.load(path, external_data_root=root)


@pytest.mark.parametrize("location", ["w.bin", "./w.bin", "inner/../w.bin", "inner/v.bin", "inner//v.bin"])
def test_locations_in_the_folder(location: str, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    for name in ("w.bin", "inner/v.bin"):
        (tmp_path / name).write_bytes(WEIGHTS.tobytes())
    gives(loomir.load(saved(tmp_path, location=location)))


def hub(folder: Path, name: str = "model.onnx", at: str = "snapshots/abc/onnx") -> Path:
    """Hugging Face's cache: what users name are links to files that are called by their digests, all in one folder."""
    snapshot, blobs = folder / "models--org--name" / at, folder / "models--org--name" / "blobs"
    snapshot.mkdir(parents=True)
    saved(blobs, "1111", location=f"{name}_data")
    (blobs / "2222").write_bytes(WEIGHTS.tobytes())
    for link, blob in ((name, "1111"), (f"{name}_data", "2222")):
        (snapshot / link).symlink_to(os.path.relpath(blobs / blob, snapshot))
    return snapshot / name


def test_a_model_that_is_a_link_beside_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = hub(tmp_path)
    gives(loomir.load(path))
    monkeypatch.chdir(path.parent)
    gives(loomir.load(path.name))
    # A link to the cache, or into it.
    (tmp_path / "cache").symlink_to(tmp_path / "models--org--name")
    gives(loomir.load(tmp_path / "cache" / "snapshots" / "abc" / "onnx" / "model.onnx"))


def test_a_model_that_is_a_link_leads_nowhere_else(tmp_path: Path) -> None:
    """Its data may be beside it and beside the file that it is, but not in a third place."""
    path = hub(tmp_path)
    data = path.with_name("model.onnx_data")
    (tmp_path / "secret").write_bytes(WEIGHTS.tobytes())
    data.unlink()
    data.symlink_to(tmp_path / "secret")
    with raises_error("external-data", "not a file in the model's folder", "--external-data-root"):
        loomir.load(path)
    gives(loomir.load(path, external_data_root=tmp_path))


def linked(folder: Path) -> tuple[Path, Path]:
    """A model beside a link to its weights, and the folder where they are."""
    weights = folder / "weights" / "deep"
    weights.mkdir(parents=True)
    (weights / "w.bin").write_bytes(WEIGHTS.tobytes())
    path = saved(folder / "models", location="w.bin")
    path.with_name("w.bin").symlink_to(weights / "w.bin")
    return path, folder / "weights"


def test_a_root_that_the_user_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, root = linked(tmp_path)
    with raises_error("external-data", "external_data_root="):
        loomir.load(path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "alias").symlink_to(root)
    for given in (root, str(root), root / "deep", tmp_path, "weights", "alias", "/"):
        gives(loomir.load(path, external_data_root=given))
    for elsewhere in (tmp_path / "models", root.parent / "models", "/usr"):
        with raises_error("external-data", "not a file"):
            loomir.load(path, external_data_root=elsewhere)


def test_the_model_s_folder_stays_one(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "w.bin").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "other").mkdir()
    gives(loomir.load(saved(tmp_path / "models", location="w.bin"), external_data_root=tmp_path / "other"))


@pytest.mark.parametrize("location", ["../weights/w.bin", "../weights/link", "link/w.bin"])
def test_a_root_is_not_left(location: str, tmp_path: Path) -> None:
    """Neither by `..` nor by links, of files and of folders, in the root itself."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "w.bin").write_bytes(WEIGHTS.tobytes())
    path = saved(tmp_path / "models", location=location)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "link").symlink_to(tmp_path / "outside" / "w.bin")
    (tmp_path / "models" / "link").symlink_to(tmp_path / "outside")
    with raises_error("external-data", "not a file"):
        loomir.load(path, external_data_root=tmp_path / "weights")


def test_a_link_that_comes_after_the_path_was_resolved(tmp_path: Path) -> None:
    """The file is opened from folder to folder below the root: a link that is there by then is not followed."""
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "w.bin").write_bytes(b"inside")
    assert bytes(map_below(root, root / "inner" / "w.bin")) == b"inside"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "w.bin").write_bytes(b"secret")
    (root / "inner" / "w.bin").unlink()
    (root / "inner" / "w.bin").symlink_to(outside / "w.bin")
    with raises_error("file-unreadable", "w.bin"):
        map_below(root, root / "inner" / "w.bin")
    (root / "inner" / "w.bin").unlink()
    (root / "inner").rmdir()
    (root / "inner").symlink_to(outside)
    with raises_error("file-unreadable", "w.bin"):
        map_below(root, root / "inner" / "w.bin")


def test_a_model_in_memory(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    with raises_error("external-data", "a model in memory has no folder", "external_data_root="):
        loomir.load(model(location="w.bin"))
    gives(loomir.load(model(location="w.bin"), external_data_root=tmp_path))
    with raises_error("external-data", "not a file"):
        loomir.load(model(location="../w.bin"), external_data_root=tmp_path)


@pytest.mark.parametrize("root", ["", "nowhere", "m.onnx", "a\0b", 7, ["."], b"."])
def test_roots_that_are_no_folder(root: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = saved(tmp_path, location="w.bin")
    for load in (loomir.load, loomir.convert):
        with raises_error("bad-option", "external_data_root="):
            load(path, external_data_root=root)  # pyright: ignore[reportArgumentType]


def test_every_command_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, root = linked(tmp_path)
    out = tmp_path / "out"
    for command in (
        ["run", "--engine", "graph"],
        ["compile", "-o", str(out)],
        ["inspect"],
        ["export", "-o", str(out / "m.xml")],
        ["convert"],
    ):
        name, *rest = command
        with pytest.raises(SystemExit):
            main([name, str(path), *rest])
        assert "[external-data]" in capsys.readouterr().err
        main([name, str(path), *rest, "--external-data-root", str(root)])
        assert not capsys.readouterr().err
    assert sorted(p.suffix for p in out.iterdir()) == [".bin", ".c", ".h", ".xml"]
    for stage in ("front", "graph"):
        LoomirOpt([str(path), "--stage", stage, "--external-data-root", str(root)]).run()
        assert "1.000000e+01" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["run", str(path), "--external-data-root", str(tmp_path / "nowhere")])
    assert "[bad-option]" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["m.onnx", "m.onnxtxt"])
def test_an_empty_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    with raises_error("invalid-onnx", name, "the file is empty"):
        loomir.load(tmp_path / name)
