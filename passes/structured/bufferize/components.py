"""Tokens that a region operation can exchange for each other."""

from __future__ import annotations

from collections.abc import Iterable

from loomir.passes.structured.bufferize.model import AliasSet, Group, InToken


class Components:
    """Sets of tokens that may take each other's place (union–find).

    The class also records the current name of each token.
    """

    def __init__(self, tokens: Iterable[AliasSet]) -> None:
        self.parents: dict[AliasSet, AliasSet] = {}
        for token in tokens:
            self.parents[token] = token
        self.start(self.parents)

    def start(self, tokens: Iterable[AliasSet]) -> None:
        """Begin a region: each token goes under its own name."""
        self.names: dict[AliasSet, None] = dict.fromkeys(tokens)

    def find(self, alias_set: AliasSet) -> AliasSet:
        alias_set = self.parents.setdefault(alias_set, alias_set)
        while (parent := self.parents[alias_set]) is not alias_set:
            self.parents[alias_set] = self.parents[parent]
            alias_set = parent
        return alias_set

    def join(self, a: AliasSet, b: AliasSet) -> None:
        self.parents[self.find(b)] = self.find(a)

    def same(self, a: AliasSet, b: AliasSet) -> bool:
        return self.find(a) is self.find(b)

    def hold(self, alias_set: AliasSet) -> AliasSet:
        """The name under which the token that `alias_set` sits in goes."""
        while alias_set not in self.names:
            if isinstance(alias_set.destination, InToken):
                alias_set = alias_set.destination.alias_set
            else:
                assert alias_set.group is not None, "a yielded value sits in one of the region's tokens"
                assert alias_set.group.identity
                alias_set = alias_set.group.inputs[0]
        return alias_set

    def run(self, groups: list[Group]) -> list[AliasSet]:
        """Pass the tokens through a region's groups; return their final names.

        The groups are processed in order.
        """
        for group in groups:
            if group.identity:
                continue
            given = [self.hold(alias_set) for alias_set in group.inputs]
            for name in given:
                del self.names[name]
                self.join(given[0], name)
            for output in group.outputs:
                self.names[output] = None
                self.join(given[0], output)
        return list(self.names)
