"""Declares a traced cell as a vertex function: applies the rule of each operation and folds loops over children."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.utils._pytree as pytree
from torch import Tensor
from torch.fx import Node

from . import _cell_products, _cell_reductions, _cell_shapes  # noqa: F401  which fill RULES
from . import _core as cavs
from ._cell_both import Pair, joined, pair_of, with_pairs
from ._cell_elementwise import BOOLEAN, ELEMENTWISE, SAME
from ._cell_places import operation, place_of
from ._cell_specs import Shape, Spec, Unsupported, width_of
from ._cell_symbols import BOTH, EACH, LATER, RULES, Count, Declaration, Number, Symbol, features_of
from ._cell_trace import PARAMETERS, VERTEX, Trace
from ._core import Error

if TYPE_CHECKING:
    from ._cell_plan import Plan


@dataclasses.dataclass(frozen=True)
class Pass:
    """The result of pass `number` of a loop over children. symbol: the results of all passes, one row per child."""

    symbol: Any
    number: int
    node: Node


@dataclasses.dataclass(frozen=True)
class Total:
    """A partial sum of a loop over children: base + symbol of the first `count` children."""

    base: Any
    symbol: Symbol
    count: int


class Translator(Declaration):
    """Declares a cell at a vertex of the type that is being declared."""

    def __init__(self, plan: Plan, kind: str | None, v: cavs.Vertex, trace: Trace, tag: str) -> None:
        super().__init__(plan, kind, v, trace, tag)
        self.loops: dict[Any, Any] = {}  # key of a node (see _same_in_all) -> its result in the first pass of a loop

    def values(self) -> dict[str, Any]:
        """Returns the results of the cell by name; LATER for results that PyTorch computes."""
        trace = self.trace
        of_states = [node for node, name in zip(trace.outputs, trace.returns) if name in self.plan.states]
        needed = trace.needed(of_states)
        for node in trace.graph.nodes:
            if node in trace.inputs:
                self.env[node] = self._input(node, *trace.inputs[node])
            elif node.op != "output":
                self.env[node] = node if trace.level[node] == PARAMETERS else self._run(node, node in needed)
        return {
            name: self._output(node, self.env[node], shape)
            for node, (name, shape) in zip(trace.outputs, trace.returns.items())
        }

    def _output(self, node: Node, y: Any, shape: Shape) -> Any:
        if y is LATER:
            return LATER
        try:
            symbol = self.fit(y, shape)
            if symbol.edge:
                raise Unsupported("an output has one row per child")
            value = symbol.value
            return value * self.ones(*features_of(shape)) if symbol.features == () and features_of(shape) else value
        except Error as error:
            raise self._refusal(node, error) from error

    def _input(self, node: Node, name: str, leaf: Spec) -> Any:
        if leaf.given:
            return node
        if leaf.item < 0:
            return self._whole(name, leaf, self.dims(node))
        key = ("entry", name)
        if key not in self.loops:
            self.loops[key] = self._whole(name, leaf, self.dims(node))
        return Pass(self.loops[key], leaf.item, node)

    def _whole(self, name: str, leaf: Spec, dims: Shape) -> Any:
        """Returns an argument of the cell; for a list with one entry per child, the symbol of all entries."""
        v = self.v
        if leaf.kind == "children":
            return Symbol(v.children(leaf.state, self.first), dims, True)
        if leaf.kind == "child":
            return self._child(leaf, dims)
        if leaf.is_index:
            return Number(
                v.pull_edge_index(name, self.first) if leaf.of_edges else v.pull_index(name), name, leaf.of_edges
            )
        width = width_of(leaf.shape)
        value = v.pull_edges(name, width, self.first) if leaf.of_edges else v.pull(name, width)
        return self.folded(value, dims, leaf.of_edges)

    def _child(self, leaf: Spec, dims: Shape) -> Symbol:
        if not isinstance(leaf.slot, tuple):
            return Symbol(self.v.gather(leaf.slot, leaf.state), dims)
        rows = [self.flat(self.v.gather(k, leaf.state), dims[1:]) for k in leaf.slot]
        return self.folded(cavs.concat(*rows), dims)

    def _run(self, node: Node, in_recursion: bool) -> Any:
        """Translates a node. If cavs does not have the operation, PyTorch computes it before or after the recursion."""
        operands = [self.env[source] for source in node.all_input_nodes]
        if any(operand is LATER for operand in operands):
            return LATER
        try:
            return self._translated(node, operands, in_recursion)
        except Error as error:
            return self._outside(node, operands, in_recursion, error)

    def _translated(self, node: Node, operands: Sequence[Any], in_recursion: bool) -> Any:
        for operand, source in zip(operands, node.all_input_nodes):
            if operand is source and self.trace.level[source] == VERTEX:
                raise Unsupported("an operand is computed by PyTorch")  # such as a LongTensor that the caller passes
        if any(isinstance(operand, (Pass, Total)) for operand in operands):
            return self._in_loop(node, operands, in_recursion)
        args = pytree.tree_map(self._operand, node.args)
        kwargs = pytree.tree_map(self._operand, node.kwargs)
        if self.trace.children is not None and operation(node) in ("select", "unbind"):
            rows = self._rows_of_loop(node, *args)
            if rows is not None:
                return rows
        return self._joined_or_applied(node, args, kwargs)

    def _joined_or_applied(self, node: Node, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Translates a node; operations on pairs are computed part by part."""
        name = operation(node)
        if any(isinstance(x, Pair) for x in pytree.tree_leaves((args, kwargs))) and name not in ("sym_size", "getitem"):
            return with_pairs(self, node, SAME.get(name, name), args, kwargs, functools.partial(self.apply, node))
        if name in ("cat", "stack"):
            pair = joined(self, node, *args, **kwargs)
            if pair is not None:
                return pair
        return pair_of(self.apply(node, args, kwargs))

    def _operand(self, x: Any) -> Any:
        return self.env[x] if isinstance(x, Node) else x

    def apply(self, node: Node, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Applies the rule of the node's operation."""
        name = operation(node)
        name = SAME.get(name, name)
        try:
            if name in RULES:
                return RULES[name](self, node, *args, **kwargs)
            if name in ELEMENTWISE:
                return self.elementwise(node, name, args, kwargs)
        except TypeError as error:
            raise Unsupported(f"cavs has {name}, but not with these arguments") from error
        raise Unsupported("cavs has no such operation")

    def elementwise(self, node: Node, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if not isinstance(node.meta.get("val"), Tensor):
            return self._of_count(name, args)
        dims = self.dims(node)
        if len({a.dims[::-1].index(EACH) for a in args if isinstance(a, Symbol) and EACH in a.dims}) > 1:
            raise Unsupported("cavs does not pair children with children")
        if name in BOOLEAN and any(source.meta["val"].dtype is not torch.bool for source in node.all_input_nodes):
            raise Unsupported(f"{name} of numbers that are not booleans")
        symbols = [self.fit(a, dims) if isinstance(a, (Symbol, Count, Node)) else a for a in args]
        edge = any(isinstance(a, Symbol) and a.edge for a in symbols)
        values = [a.value if isinstance(a, Symbol) else a for a in symbols]
        return Symbol(ELEMENTWISE[name](*values, **kwargs), dims, edge)

    def _of_count(self, name: str, args: Sequence[Any]) -> Count:
        """Returns the number of children, plus or minus a number."""
        if name in ("add", "sub") and isinstance(args[0], Count) and isinstance(args[1], int):
            return Count(args[0].more + (args[1] if name == "add" else -args[1]))
        if name == "add" and isinstance(args[1], Count) and isinstance(args[0], int):
            return Count(args[1].more + args[0])
        raise Unsupported("the number of children may only be used in sums, and as an operand of tensor operations")

    def _outside(self, node: Node, operands: Sequence[Any], in_recursion: bool, error: Error) -> Any:
        """Leaves a node to PyTorch: before the recursion if it reads no child, after it if no parent reads the node."""
        if self.trace.level[node] == VERTEX:
            return self._before(node)
        sources = node.all_input_nodes
        if in_recursion or not all(self._can_push(a, source) for a, source in zip(operands, sources)):
            raise self._refusal(node, error) from error
        for operand, source in zip(operands, sources):
            key = self.trace, source
            if isinstance(operand, Symbol) and key not in self.plan.pushes:
                self.plan.pushes[key] = f"{self.tag}%{source.name}"
                self.v.push(self.plan.pushes[key], self.flat(operand.value, operand.features))
        return LATER

    def _can_push(self, operand: Any, source: Node) -> bool:
        return operand is source or (isinstance(operand, Symbol) and not operand.edge and EACH not in operand.dims)

    def _before(self, node: Node) -> Any:
        value = node.meta.get("val")
        if not isinstance(value, Tensor) or not value.is_floating_point():
            return node  # integers, or several tensors
        dims = self.dims(node)
        port = f"{self.tag}%{node.name}"
        self.plan.before(port, self.trace, node)
        return self.folded(self.v.pull(port, width_of(dims)), dims)

    def _refusal(self, node: Node, error: Error) -> Unsupported:
        why = str(error).splitlines()[0]
        name = node.target if hasattr(node.target, "_schema") else operation(node)
        return Unsupported(
            f"{name} is inside of the recursion: {why}{place_of(self.trace, node)}\n  to do: compute it outside of the "
            "cell, or with other operations (docs/guide/torch.md has a table of the operations of cavs)"
        )

    # The graph has loops over children unrolled. The following functions fold each loop into one operation.

    def _in_loop(self, node: Node, operands: Sequence[Any], in_recursion: bool) -> Any:
        """Translates a node of a loop: the first pass is translated, the others must be equal, and a sum or a list of
        all passes ends the loop.
        """
        name = operation(node)
        count = self.trace.children or 0
        passes = [a for a in operands if isinstance(a, Pass)]
        whole = [p.number for p in passes] == list(range(count)) and len({id(p.symbol) for p in passes}) == 1
        if name in ("cat", "stack") and whole:
            return self._list_of_all(node, passes[0].symbol)
        if len({p.number for p in passes}) == 1 and not any(isinstance(a, Total) for a in operands):
            return self._in_pass(node, passes[0].number, in_recursion)
        if name == "add" and len(node.args) == 2 and not node.kwargs:
            first, second = (self._operand(a) for a in node.args)
            if isinstance(first, Pass) and isinstance(second, Total):
                first, second = second, first
            if isinstance(second, Pass):
                return self._added(node, first, second, count)
        raise Unsupported(
            "a loop over children must do the same for each child, and end in a sum or a list of all; this does neither"
        )

    def _list_of_all(self, node: Node, row: Symbol) -> Any:
        """Returns cat or stack of the results of all passes, perhaps with a row of the vertex before or after."""
        parts = [self._operand(part) for part in node.args[0]]  # type: ignore[union-attr]
        dims = self.dims(node)
        if EACH in dims and all(isinstance(part, Pass) for part in parts):
            return Symbol(row.value, dims, True)
        others = [part for part in parts if not isinstance(part, Pass)]
        if BOTH not in dims or len(others) != 1 or isinstance(parts[0], Pass) is isinstance(parts[-1], Pass):
            raise Unsupported("cavs concatenates one row per child, and one row of the vertex before or after them")
        rows = Symbol(row.value, tuple(EACH if size == BOTH else size for size in dims), True)
        return joined(
            self, node, [others[0], rows] if isinstance(parts[-1], Pass) else [rows, others[0]], dims.index(BOTH)
        )

    def _rows_of_loop(self, node: Node, x: Any, dim: int = 0, number: int | None = None) -> Any:
        """Returns one or all rows of `for h in hs` (unbind or select); None if the tensor has no rows of children."""
        count = self.trace.children or 1
        if not isinstance(x, Symbol) or x.dims[dim] != EACH:
            return None
        value = node.meta["val"]
        dims = self.dims(value if isinstance(value, Tensor) else value[0])
        row = self.loops.setdefault(("row", id(x)), Symbol(self.rows(x), dims, True))
        if number is not None:
            return Pass(row, number % count, node)
        return tuple(Pass(row, i, node) for i in range(count))

    def _in_pass(self, node: Node, number: int, in_recursion: bool) -> Any:
        """Translates a node of the first pass, or looks it up for the other passes."""
        key = str((node.target, pytree.tree_map(self._same_in_all, (node.args, node.kwargs))))
        if key not in self.loops:
            if number:
                raise Unsupported("the passes of this loop over children differ")
            before = self.env
            self.env = {n: a.symbol if isinstance(a, Pass) else a for n, a in before.items()}
            try:
                self.loops[key] = self.apply(
                    node, *(pytree.tree_map(self._operand, x) for x in (node.args, node.kwargs))
                )
            finally:
                self.env = before
        made = self.loops[key]
        return tuple(Pass(m, number, node) for m in made) if isinstance(made, tuple) else Pass(made, number, node)

    def _same_in_all(self, x: Any) -> Any:
        """Returns a key of an argument that is equal in all passes of a loop."""
        operand = self._operand(x)
        return id(operand.symbol) if isinstance(operand, Pass) else x

    def _added(self, node: Node, total: Any, new: Pass, count: int) -> Any:
        """Adds the result of one more pass to a partial sum."""
        if isinstance(total, Pass):
            total = self._begun(total, new)
        if not isinstance(total, Total) or total.symbol is not new.symbol or total.count != new.number:
            raise Unsupported("a sum in a loop over children must add one value per child, in their order")
        if new.number + 1 < count:
            return Total(total.base, total.symbol, new.number + 1)
        dims = self.dims(node)
        y = Symbol(cavs.sum_children(self.rows(total.symbol)), dims)
        return y if total.base is None or total.base == 0 else self.elementwise(node, "add", (y, total.base), {})

    def _begun(self, total: Pass, new: Pass) -> Any:
        """Returns the partial sum that the first two passes begin, with or without another first operand."""
        if new.number != 1 or total.number != 0:
            return None
        if total.symbol is new.symbol:
            return Total(None, new.symbol, 1)
        if operation(total.node) != "add" or len(total.node.args) != 2 or total.node.kwargs:
            return None
        first, second = (self._operand(a) for a in total.node.args)
        for base, rest in ((first, second), (second, first)):
            if isinstance(rest, Pass) and rest.symbol is new.symbol:
                return Total(base, new.symbol, 1)
        return None


def declare(kind: str | None, trace: Trace, plan: Plan, v: cavs.Vertex) -> None:
    """Declares the cell for a type of vertices at v."""
    top = Translator(plan, kind, v, trace, kind or "")
    values = top.values()
    if trace.leaf is not None:
        values = _chosen(top, values, Translator(plan, kind, v, trace.leaf, f"{kind or ''}~").values())
    for node, (name, shape) in zip(trace.outputs, trace.returns.items()):
        value = values[name]
        if value is LATER:
            plan.after(name, trace, node, v, top.tag)
            continue
        plan.in_cavs.add(name)
        if name in plan.states:
            v.scatter(name, value if _has_shape(value) else value * top.ones(*(features_of(shape) or (1,))))
        else:
            v.push(name, top.flat(value, shape))


def _has_shape(value: cavs.Value) -> bool:
    """False for a state whose shape depends only on itself, such as a sum over the children."""
    try:
        return value.shape is not None
    except Error:
        return False


def _chosen(t: Declaration, some: dict[str, Any], none: dict[str, Any]) -> dict[str, Any]:
    """Chooses between the values for vertices with children and for vertices without."""
    if any(y is LATER for y in (*some.values(), *none.values())):
        raise Unsupported(
            "PyTorch computes a part of this cell after the recursion, and the cell branches for leaves\n  to do: give "
            "the leaves a type and a cell of their own"
        )
    has_children = t.count() > 0.0
    return {name: cavs.where(has_children, some[name], none[name]) for name in some}
