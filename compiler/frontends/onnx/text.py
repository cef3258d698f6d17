"""Protobuf strings that are not valid text.

They would appear as `bytes` where every reader expects `str`.
"""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from loomir.errors import Error


def check_text(message: Message) -> None:
    """Raise `Error("invalid-onnx")` if a string field is not UTF-8.

    The fields of nested messages are included.
    """
    waiting = [message]
    while waiting:
        for field, value in waiting.pop().ListFields():
            if field.type == FieldDescriptor.TYPE_MESSAGE:
                waiting.extend(value if field.is_repeated else (value,))
            elif field.type == FieldDescriptor.TYPE_STRING:
                for text in value if field.is_repeated else (value,):
                    if isinstance(text, bytes):
                        raise Error("invalid-onnx", f"{field.full_name} is {text!r}, which is not UTF-8")
