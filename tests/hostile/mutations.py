"""Damage to valid model files: bytes, attributes, edges, fields. Every mutation is a function of a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from lxml import etree

NUMBERS = (
    "",
    "0",
    "1",
    "-1",
    "2",
    "7",
    "-9223372036854775809",
    "2147483648",
    "999999999999",
    "1e9",
    "nan",
    "0x1",
    "?",
)
WORDS = (
    "Add",
    "Loop",
    "If",
    "Const",
    "Parameter",
    "Result",
    "f32",
    "i64",
    "u1",
    "boolean",
    "dynamic",
    "x",
    "1,2,3",
    "...",
    "é\t",
)


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """A few bytes changed, removed, doubled, or the end cut off."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del out[at : at + rng.randint(1, 8)]
        elif kind == 2:
            out[at:at] = out[at : at + rng.randint(1, 64)]
        elif kind == 3:
            out[at : at + 1] = bytes([rng.randrange(256)])
        elif rng.random() < 0.3:
            del out[at:]
    return bytes(out)


def mutated_xml(text: bytes, rng: random.Random) -> bytes:
    """Attributes, elements, edges and texts changed; the result is still XML."""
    root = etree.fromstring(text, etree.XMLParser(huge_tree=True))
    for _ in range(rng.randint(1, 3)):
        elements = [e for e in root.iter() if isinstance(e.tag, str)]
        element, other = rng.choice(elements), rng.choice(elements)
        parent = element.getparent()
        kind = rng.randrange(8)
        if kind <= 2 and element.attrib:
            name = rng.choice(sorted(map(str, element.attrib)))
            pool = [*NUMBERS, *WORDS, *map(str, other.attrib.values()), f"{element.attrib[name]}1"]
            element.attrib[name] = rng.choice(pool).replace("\0", "")
        elif kind == 3 and element.attrib:
            del element.attrib[rng.choice(sorted(map(str, element.attrib)))]
        elif kind == 4 and parent is not None:
            parent.remove(element)
        elif kind == 5 and parent is not None:
            parent.append(deepcopy(element))
        elif kind == 6:
            edges = root.findall(".//edge")
            if len(edges) > 1:
                first, second = rng.sample(edges, 2)
                name = rng.choice(["from-layer", "from-port", "to-layer", "to-port"])
                first.attrib[name] = second.attrib.get(name, "0")
        elif element.text:
            element.text = rng.choice([*NUMBERS, *WORDS])
    return etree.tostring(root)


def mutated_proto(model: onnx.ModelProto, rng: random.Random) -> onnx.ModelProto:
    """Fields set to something else, cleared, doubled, or exchanged with another of their kind."""
    model = deepcopy(model)
    for _ in range(rng.randint(1, 3)):
        messages = list(_messages(model))
        message = rng.choice(messages)
        fields = [f for f, _ in message.ListFields()]
        if not fields:
            continue
        field = rng.choice(fields)
        if not field.is_repeated:
            _change_single(message, field, rng)
        else:
            _change_repeated(message, field, rng)
    return model


def _messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for item in value if field.is_repeated else [value]:
                yield from _messages(item)


def _scalar(field: FieldDescriptor, old: object, rng: random.Random) -> object:
    if isinstance(old, bool):
        return not old
    if isinstance(old, int):
        if field.type == FieldDescriptor.TYPE_ENUM:
            assert field.enum_type is not None
            return rng.choice([v.number for v in field.enum_type.values])
        value = rng.choice(
            [0, 1, -1, 2, 3, old + 1, old - 1, 100, 1 << 30, -(1 << 62), 1 << 40, rng.randrange(30)]
        )
        wide = field.type in (FieldDescriptor.TYPE_INT64, FieldDescriptor.TYPE_UINT64)
        if field.type in (FieldDescriptor.TYPE_UINT64, FieldDescriptor.TYPE_UINT32):
            value = abs(value)
        return value if wide else max(-(1 << 31), min(value, (1 << 31) - 1))
    if isinstance(old, float):
        return rng.choice([0.0, -1.0, float("nan"), float("inf"), 1e30])
    if isinstance(old, str):
        return rng.choice(["", "x", old + "_", *WORDS])
    assert isinstance(old, bytes)
    return mutated_bytes(old, rng) if old else b"\1"


def _change_single(message: Message, field: FieldDescriptor, rng: random.Random) -> None:
    if field.type == FieldDescriptor.TYPE_MESSAGE or rng.random() < 0.25:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _scalar(field, getattr(message, field.name), rng))


def _change_repeated(message: Message, field: FieldDescriptor, rng: random.Random) -> None:
    values = getattr(message, field.name)
    index, other = rng.randrange(len(values)), rng.randrange(len(values))
    kind = rng.randrange(4)
    if kind == 0:
        del values[index]
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        if kind == 1:
            values.add().CopyFrom(values[index])
        elif index != other:
            copy = deepcopy(values[index])
            values[index].CopyFrom(values[other])
            values[other].CopyFrom(copy)
    elif kind == 1:
        values.append(values[index])
    elif kind == 2:
        values[index] = _scalar(field, values[index], rng)  # pyright: ignore[reportArgumentType]
    else:
        values[index], values[other] = values[other], values[index]
