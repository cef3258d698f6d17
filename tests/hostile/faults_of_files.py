"""Faults of the files of a model, and their errors.

They are a part of the table of docs/errors.md.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import loomir
from tests.hostile.fault import fault
from tests.hostile.faults import NET, external, openvino

FORMATS = ("xml", "onnx", "onnxtxt", "mlir")


def no_file(what: str, path: Path) -> None:
    """Put something at this path that is no regular file."""
    match what:
        case "a folder":
            path.mkdir()
        case "a FIFO that nobody writes":
            os.mkfifo(path)
        case "a device without an end":
            path.symlink_to("/dev/zero")
        case "a link that leads to itself":
            path.symlink_to(path)
        case "a link to nothing":
            path.symlink_to(path.with_name("nothing"))
        case _:
            raise AssertionError(what)


def unreadable(what: str, ending: str) -> None:
    """A path to what is no file: each of these would be read for ever, or not at all."""

    @fault(f"{what} as a model (.{ending})", "file-unreadable")
    def attempt(folder: Path) -> object:
        path = folder / f"m.{ending}"
        match what:
            case "a path with a NUL":
                path = folder / f"a\0b.{ending}"
            case "a name of 10,000 characters":
                path = folder / f"{'n' * 10_000}.{ending}"
            case "a file that is not there":
                pass
            case _:
                no_file(what, path)
        return loomir.load(path)


for _what in (
    "a folder",
    "a FIFO that nobody writes",
    "a device without an end",
    "a link that leads to itself",
    "a path with a NUL",
    "a name of 10,000 characters",
    "a file that is not there",
):
    for _ending in FORMATS if _what == "a FIFO that nobody writes" else FORMATS[:2]:
        unreadable(_what, _ending)


class BytesPath(os.PathLike[bytes]):
    """Path whose text is bytes."""

    def __init__(self, path: bytes) -> None:
        self.path = path

    def __fspath__(self) -> bytes:
        return self.path


@fault("a path with a NUL, as bytes", "file-unreadable")
def nul_in_bytes(folder: Path) -> object:
    return loomir.load(BytesPath(os.fsencode(folder) + b"/a\0b.onnx"))


@fault("bytes that are a path", "invalid-onnx")
def contents_that_are_a_path(folder: Path) -> object:
    return loomir.load(b"/a\0b.onnx")


@fault("contents of OpenVINO IR without its weights", "unknown-format")
def contents_of_xml(folder: Path) -> object:
    return loomir.load(b"<?xml version='1.0'?><net name='a' version='11'/>")


@fault("a file that is open as text", "bad-option")
def open_as_text(folder: Path) -> object:
    return loomir.load(io.StringIO("module {}"))


@fault("a file that is closed", "file-unreadable")
def closed(folder: Path) -> object:
    file = io.BytesIO(b"module {}")
    file.close()
    return loomir.load(file)


@fault("a path with a NUL, as a string", "file-unreadable")
def nul_in_a_string(folder: Path) -> object:
    return loomir.load(f"{folder}/a\0b.xml")


@fault("a folder with a NUL to write C to", "file-unwritable")
def nul_written(folder: Path) -> object:
    return openvino(folder).emit_c(f"{folder}/a\0b")


@fault("a folder of 10,000 characters to write C to", "file-unwritable")
def long_written(folder: Path) -> object:
    return openvino(folder).emit_c(folder / ("n" * 10_000))


@fault("a file where a folder should be, to write C to", "file-unwritable")
def file_written(folder: Path) -> object:
    return openvino(folder).emit_c(folder / "sum.bin")


# -- empty ones


def empty(ending: str, identifier: str) -> None:
    @fault(f"an empty file (.{ending})", identifier)
    def attempt(folder: Path) -> object:
        (folder / f"m.{ending}").write_bytes(b"")
        return loomir.load(folder / f"m.{ending}")


for _ending, _identifier in zip(FORMATS, ("xml-syntax", "invalid-onnx", "invalid-onnx", "mlir-syntax")):
    empty(_ending, _identifier)


# -- weights


def weights(what: str, folder: Path) -> object:
    """A model whose `.bin` is something else."""
    (folder / "sum.xml").write_text(NET)
    path = folder / "sum.bin"
    if what == "nothing":
        path.write_bytes(b"")
    else:
        no_file(what, path)
    return loomir.load(folder / "sum.xml")


for _what, _identifier in {
    "a folder": "bin-missing",
    "a FIFO that nobody writes": "bin-missing",
    "a device without an end": "bin-missing",
    "a link to nothing": "bin-missing",
    "nothing": "bin-range",
}.items():

    @fault(f"a `.bin` that is {_what}", _identifier)
    def weights_attempt(folder: Path, what: str = _what) -> object:
        return weights(what, folder)


@fault("external data with a NUL in its place", "external-data")
def external_nul(folder: Path) -> object:
    return external(folder, "a\0b")


@fault("external data at a file's name with a slash behind it", "external-data")
def external_slash(folder: Path) -> object:
    return external(folder, "beside.bin/")


for _field, _number in (("offset", "0_0"), ("length", "8 ")):

    @fault(f"external data with the {_field} '{_number}'", "external-data")
    def external_number(folder: Path, field: str = _field, number: str = _number) -> object:
        return external(folder, "beside.bin", **{field: number})


@fault("external data in a folder", "external-data")
def external_folder(folder: Path) -> object:
    return external(folder, ".")


@fault("external data under a name of 10,000 characters", "external-data")
def external_long(folder: Path) -> object:
    return external(folder, "n" * 10_000)
