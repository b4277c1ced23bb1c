"""Rules for operations that move numbers without computing: views, slices, concatenation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch.fx import Node

from . import _core as cavs
from ._cell_specs import Unsupported
from ._cell_symbols import BOTH, EACH, RULES, Count, Declaration, Dims, Symbol, axis, features_of, rule


@rule("view", "unsqueeze", "squeeze", "clone", "alias")
def view(t: Declaration, node: Node, x: Any, *_: Any, **__: Any) -> Symbol:
    """Rule that changes dimensions, not numbers. EACH and dimensions of size 1 may move; features keep their order."""
    x = t.of(x)
    dims = t.dims(node)
    before = {math.prod(sizes[: sizes.index(EACH)]) if EACH in sizes else -1 for sizes in (x.dims, dims)}
    if len(before) > 1:
        raise Unsupported(f"a view of {shown(x.dims)} as {shown(dims)} mixes children and features")
    same = Symbol(x.value, dims, x.edge)
    return same if same.features == x.features else t.folded(x.value, dims, x.edge, True)


def shown(dims: Dims) -> str:
    """Returns a shape as text for messages."""
    names = {EACH: "children", BOTH: "1 + children"}
    return f"[{', '.join(str(names.get(size, size)) for size in dims)}]"


@rule("permute")
def permute(t: Declaration, node: Node, x: Any, order: Sequence[int]) -> Symbol:
    x = t.of(x)
    places = [axis(x, place) for place in order]
    features = [place for place in places if x.dims[place] > 1]
    value = x.value
    if features != sorted(features):
        if len(features) != 2:
            raise Unsupported(f"cavs does not permute {shown(x.dims)} by {places}")
        rows = x.features[0]
        value = cavs.unfold(cavs.reshape(value, (*x.features, 1)), (rows, 1))  # the columns of an image
    return Symbol(value, t.dims(node), x.edge)


@rule("expand")
def expand(t: Declaration, node: Node, x: Any, *_: Any, **__: Any) -> Symbol:
    x = t.of(x)
    dims = t.dims(node)
    return Symbol(_widened(t, x, dims), dims, x.edge)


def _widened(t: Declaration, x: Symbol, dims: Dims) -> cavs.Value:
    """Returns the value with the features of `dims`; a scalar is repeated."""
    fitted = t.fit(x, dims)
    wanted = features_of(dims)
    if fitted.features == () and wanted:
        return fitted.value * t.ones(*wanted)
    return fitted.value


@rule("repeat")
def repeat(t: Declaration, node: Node, tensor: Any, times: Sequence[Any]) -> Symbol:
    x = t.of(tensor)
    padded = (1,) * (len(times) - len(x.dims)) + x.dims
    several = [n for n, size in zip(times, padded) if size != 1 and not (isinstance(n, int) and n == 1)]
    if not several:
        return expand(t, node, x)
    if len(x.features) > 1 or len(several) > 1 or not isinstance(several[0], int) or padded[-1] != x.features[-1]:
        raise Unsupported("cavs repeats only rows and the numbers of a vector")
    return expand(t, node, Symbol(cavs.concat(*[x.value] * several[0]), (*padded[:-1], several[0] * padded[-1]), x.edge))


def columns(t: Declaration, x: Symbol, dim: int, begin: int, count: int) -> Symbol:
    """Returns a slice of x along its first feature dimension, where a slice is contiguous in a row."""
    if x.dims[dim] == count:
        return x
    if x.dims[dim] < 0:
        raise Unsupported("cavs does not slice the children")
    if any(size > 1 for size in x.dims[:dim]):
        return _inner_columns(t, x, dim, begin, count)
    inner = math.prod(x.features[1:])
    dims = (*x.dims[:dim], count, *x.dims[dim + 1 :])
    row = x.value if len(x.features) < 2 else cavs.reshape(x.value, (math.prod(x.features),))
    part = cavs.slice(row, begin * inner, count * inner)
    return t.folded(part, dims, x.edge, len(x.features) > 1)


def _inner_columns(t: Declaration, x: Symbol, dim: int, begin: int, count: int) -> Symbol:
    """Returns columns of a matrix, computed as a product with columns of the identity matrix."""
    if len(x.features) != 2:
        raise Unsupported(f"cavs cannot slice {shown(x.dims)} along dimension {dim}")
    size = x.dims[dim]
    name = f"%columns{begin}to{begin + count}of{size}"
    t.plan.constant(name, torch.eye(size)[:, begin : begin + count].contiguous())
    chosen = t.v(t.plan.model.parameter(name, (size, count), cavs.Initializer.zeros()))
    dims = (*x.dims[:dim], count, *x.dims[dim + 1 :])
    return t.folded(cavs.batch_matmul(x.value, chosen), dims, x.edge, count == 1)


@rule("split_with_sizes")
def split_with_sizes(t: Declaration, node: Node, x: Any, sizes: Sequence[int], dim: int = 0) -> tuple[Symbol, ...]:
    x = t.of(x)
    return tuple(columns(t, x, axis(x, dim), sum(sizes[:i]), size) for i, size in enumerate(sizes))


@rule("chunk")
def chunk(t: Declaration, node: Node, x: Any, chunks: int, dim: int = 0) -> tuple[Symbol, ...]:
    sizes = [t.dims(part)[dim] for part in node.meta["val"]]
    return cast("tuple[Symbol, ...]", RULES["split_with_sizes"](t, node, x, sizes, dim))


@rule("slice")
def slice_(
    t: Declaration, node: Node, tensor: Any, dim: int = 0, begin: Any = None, end: Any = None, step: int = 1
) -> Symbol:
    x = t.of(tensor)
    dim = axis(x, dim)
    count = t.dims(node)[dim]
    if count == x.dims[dim]:
        return x
    if step != 1 or count < 0 or x.dims[dim] < 0:
        raise Unsupported("cavs does not slice the children, and slices features only with step 1")
    return columns(t, x, dim, (begin or 0) % x.dims[dim], count)


@rule("select")
def select(t: Declaration, node: Node, x: Any, dim: int, i: int) -> Symbol:
    x = t.of(x)
    dim = axis(x, dim)
    if x.dims[dim] != EACH:
        return view(t, node, columns(t, x, dim, i % x.dims[dim], 1))
    leaf = t.trace.inputs.get(node.args[0], ("", None))[1]  # type: ignore[arg-type]
    if leaf is None or leaf.kind != "children" or i < 0 or not isinstance(leaf.slot, int):
        raise Unsupported("a single child can be read only from an argument of the cell, by its number from 0")
    return Symbol(t.v.gather(leaf.slot + i, leaf.state), t.dims(node))


@rule("unbind")
def unbind(t: Declaration, node: Node, x: Any, dim: int = 0) -> tuple[Symbol, ...]:
    x = t.of(x)
    dim = axis(x, dim)
    if x.dims[dim] < 0:
        raise Unsupported("cavs does not slice the children")
    parts = enumerate(node.meta["val"])
    return tuple(Symbol(columns(t, x, dim, i, 1).value, t.dims(part), x.edge) for i, part in parts)


@rule("cat", "stack")
def concatenate(t: Declaration, node: Node, parts: Sequence[Any], dim: int = 0) -> Symbol:
    dims = t.dims(node)
    place = dim % len(dims)
    symbols = [t.of(part) for part in parts if 0 not in t.dims(part)]
    if dims[place] < 0:
        raise Unsupported("cavs concatenates rows of children only with the vertex's own row")
    if any(size > 1 for size in dims[:place]):
        raise Unsupported("cavs does not concatenate columns of matrices")
    wide = [t.flat(part.value, part.features) for part in symbols]
    edge = any(part.edge for part in symbols)
    if edge:
        wide = [value if part.edge else t.rows(Symbol(value, part.dims)) for value, part in zip(wide, symbols)]
    return t.folded(cavs.concat(*wide), dims, edge, len(features_of(dims)) > 1)


@rule("full", "full_like")
def filled(t: Declaration, node: Node, *args: Any, **_: Any) -> Symbol:
    number = args[-1]
    if not isinstance(number, (int, float)):
        raise Unsupported("cavs fills a tensor only with a constant number")
    return t.filled(float(number), t.dims(node))


@rule("getitem")
def item(t: Declaration, node: Node, x: Any, i: int) -> Any:
    return x[i]


@rule("sym_size")
def size(t: Declaration, node: Node, x: Any, dim: int | None = None) -> Count:
    both = t.dims(node.args[0])[dim or 0] == BOTH
    return Count(1 if both else 0)


@rule("_to_copy")
def to_copy(t: Declaration, node: Node, x: Any, *_: Any, **__: Any) -> Any:
    value = node.meta["val"]
    if value.dtype not in (torch.float32, torch.bool):
        raise Unsupported(f"cavs computes in float32, not in {value.dtype}")
    x = t.of(x)
    if value.dtype is torch.bool:
        return Symbol(1.0 - cavs.equal(x.value, 0.0), t.dims(node), x.edge)
    return x


@rule("_local_scalar_dense")
def scalar(t: Declaration, node: Node, x: Any) -> None:
    raise Unsupported("the cell reads a number from a tensor, as item() does, so its operations depend on that number")


@rule("_assert_tensor_metadata")
def nothing(t: Declaration, node: Node, *_: Any, **__: Any) -> None:
    return None
