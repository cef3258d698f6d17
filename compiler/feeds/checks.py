"""Checks of feeds at the call of a program in any form.

Every input has a value that it accepts, and there are no other values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loomir.compiler.feeds.infos import ValueInfo
from loomir.dialects.ovseq.types import GraphValue
from loomir.errors import Error, shown


class CheckedFeed(dict[str, GraphValue]):
    """Checked feed: values of the right dtypes and shapes, in input order."""


def checked_feed(
    feed: object, inputs: Sequence[ValueInfo], given: Mapping[str, GraphValue] | None = None
) -> CheckedFeed:
    """Check a feed and return its values as the inputs take them.

    `given` has values of inputs that may be left out.

    A feed that was already checked for a program with these inputs is not checked again: a Model passes it to its engines.
    Errors: `input-missing`, `input-unknown`, `input-dtype`, `input-shape`, `input-sequence`.
    """
    if isinstance(feed, CheckedFeed):
        return feed
    if not isinstance(feed, Mapping):
        hint = "it is a dict from names of inputs to arrays"
        raise Error("input-missing", f"the feed is {shown(feed)}", hint=hint)
    known = {info.name for info in inputs}
    for name in feed:
        if name not in known:
            hint = f"its inputs: {', '.join(map(str, inputs)) or 'none'}"
            raise Error("input-unknown", f"the model has no input {shown(name)}", hint=hint)
    values = CheckedFeed()
    for info in inputs:
        if info.name in feed:
            values[info.name] = info.fitted(feed[info.name])
        elif given is not None and info.name in given:
            values[info.name] = given[info.name]
        else:
            raise Error("input-missing", f"no value for input '{info.name}'", hint=f"it is {info}")
    return values
