"""Memory effects of operations, with those for which xDSL declares none.

xDSL knows no effects of linalg's operations on tensors, of `vector.load`, of `arith.remui`, and of a few others, and
so keeps them even if nothing uses their results (docs/upstream.md). The effects of linalg's operations are those of
their bodies; on buffers these operations also read and write. Operations that stop a program (`cf.assert`) have
unknown effects: neither they nor the operations that contain them are removed.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

from xdsl.dialects import arith, linalg, tensor, vector
from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation
from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
)

_NONE: frozenset[EffectInstance] = frozenset()
_READ = frozenset({EffectInstance(MemoryEffectKind.READ)})
_WRITE = frozenset({EffectInstance(MemoryEffectKind.WRITE)})
_OF_ALL: dict[type[MemoryEffect], frozenset[EffectInstance]] = {
    NoMemoryEffect: _NONE,
    Pure: _NONE,
    MemoryReadEffect: _READ,
    MemoryWriteEffect: _WRITE,
}
"""Interfaces with the same effects for all operations of a class."""
_UNDECLARED: dict[type[Operation], MemoryEffect] = {
    linalg.ops.IndexOp: NoMemoryEffect(),
    linalg.ops.YieldOp: NoMemoryEffect(),
    tensor.YieldOp: NoMemoryEffect(),
    arith.RemUIOp: NoMemoryEffect(),
    arith.ExtSIOp: NoMemoryEffect(),
    vector.LoadOp: MemoryReadEffect(),
    vector.StoreOp: MemoryWriteEffect(),
}
"""Effects of upstream operations for which xDSL declares none."""


@cache
def _interfaces(kind: type[Operation]) -> tuple[MemoryEffect, ...]:
    """Return what declares the effects of a class's operations, besides `_is_structured`."""
    declared = tuple(trait for trait in kind.traits.traits if isinstance(trait, MemoryEffect))
    return declared or tuple(filter(None, [_UNDECLARED.get(kind)]))


@cache
def _always(kind: type[Operation]) -> AbstractSet[EffectInstance] | None:
    """Return the effects that all operations of a class have.

    None if these depend on the operation, or are unknown.
    """
    effects = [_OF_ALL.get(type(interface)) for interface in _interfaces(kind)]
    known = [each for each in effects if each is not None]
    return _NONE.union(*known) if known and len(known) == len(effects) else None


@cache
def _is_structured(kind: type[Operation]) -> bool:
    return issubclass(kind, LinalgStructuredOperation) and not any(
        isinstance(trait, MemoryEffect) for trait in kind.traits.traits
    )


@cache
def _stays(kind: type[Operation]) -> bool:
    return any(isinstance(trait, IsTerminator | SymbolOpInterface) for trait in kind.traits.traits)


@cache
def _dead_if_unused(kind: type[Operation]) -> bool | None:
    """Return True if unused operations of a class are dead.

    Return None if that depends on the operation.
    """
    if _stays(kind):
        return False
    always = _always(kind)
    return None if always is None else all(effect.kind is MemoryEffectKind.READ for effect in always)


class EffectsOfNests:
    """Memory effects of operations, each computed once.

    xDSL visits everything inside an operation on every query.

    No operation may be added to a region whose operation has been queried. Later queries of other operations do not count
    operations that have been removed.
    """

    def __init__(self) -> None:
        self._known: dict[Operation, AbstractSet[EffectInstance] | None] = {}

    def of(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        """Return the effects of an operation and its nest, None if unknown."""
        always = _always(type(op))
        if always is not None:
            return always
        if not op.regions:
            return self._found(op)
        if op not in self._known:
            self._known[op] = self._found(op)
        return self._known[op]

    def _found(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        if _is_structured(type(op)):
            inside = self._inside(op)
            # On buffers an operation has no results, and at least one destination.
            of_buffers = any(isinstance(v.type, MemRefType) for v in op.operands)
            return inside | _READ | _WRITE if inside is not None and of_buffers else inside
        interfaces = _interfaces(type(op))
        effects = _NONE
        for interface in interfaces:
            recursive = isinstance(interface, RecursiveMemoryEffect)
            found = self._inside(op) if recursive else interface.get_effects(op)
            if found is None:
                return None
            effects |= found
        return effects if interfaces else None

    def _inside(self, op: Operation) -> AbstractSet[EffectInstance] | None:
        """Return the effects of the operations in the regions."""
        effects = _NONE
        for inner in (o for region in op.regions for block in region.blocks for o in block.ops):
            nested = self.of(inner)
            if nested is None:
                return None
            effects |= nested
        return effects

    def is_dead_if_unused(self, op: Operation) -> bool:
        """Return True if the operation is dead once its results are unused.

        It may read memory, and allocate values that are defined inside it.
        """
        if (known := _dead_if_unused(type(op))) is not None:
            return known
        effects = self.of(op)
        return effects is not None and all(
            effect.kind is MemoryEffectKind.READ
            or (
                effect.kind is MemoryEffectKind.ALLOC
                and isinstance(effect.value, SSAValue)
                and op.is_ancestor(effect.value.owner)
            )
            for effect in effects
        )


def effects_of(op: Operation) -> AbstractSet[EffectInstance] | None:
    """Return the effects of an operation and its nest, None if unknown."""
    return EffectsOfNests().of(op)


def is_side_effect_free(op: Operation) -> bool:
    """Return True if an operation is known to have no effects."""
    return effects_of(op) == _NONE
