"""Rules for matrix products: layers, PyTorch's recurrent cells, attention, tables."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from torch.fx import Node

from . import _core as cavs
from ._cell_places import operation
from ._cell_specs import Unsupported
from ._cell_symbols import BOTH, EACH, Declaration, Dims, Number, Symbol, rule
from ._cell_trace import PARAMETERS


def times(t: Declaration, x: Symbol, w: Any, transposed: bool = True) -> cavs.Value:
    """Returns x times the transpose of w, as in nn.Linear, or x times w. If w is v.t(), reads v in place."""
    if not isinstance(w, Node):
        raise Unsupported("cavs has this product only for a row and a parameter")
    fixed = w.args[0] if operation(w) == "permute" and w.meta["val"].dim() == 2 else None
    if isinstance(fixed, Node) and fixed in t.trace.fixed:
        w = fixed
        transposed = not transposed
    if len(x.features) == 2:
        made = (lambda tensor: tensor.t()) if transposed else None
        shape = tuple(w.meta["val"].shape)
        weight = t.parameter(w, made, shape[::-1] if transposed else shape, "@t" if transposed else "")
        return cavs.batch_matmul(x.value, t.v(weight))
    if len(x.features) > 2:
        raise Unsupported("cavs multiplies rows and matrices by a parameter, but not tensors with more dimensions")
    return (cavs.matmul_transposed if transposed else cavs.matmul)(t.flat(x.value, x.features), t.parameter(w))


def _with_bias(t: Declaration, node: Node, y: cavs.Value, edge: bool, b: Any) -> Symbol:
    dims = t.dims(node)
    return Symbol(y if b is None else y + t.fit(b, dims).value, dims, edge)


@rule("linear")
def linear(t: Declaration, node: Node, x: Any, w: Any, b: Any = None) -> Symbol:
    x = t.of(x)
    return _with_bias(t, node, times(t, x, w), x.edge, b)


@rule("matmul", "mm", "bmm", "mv", "dot")
def matmul(t: Declaration, node: Node, x: Any, y: Any) -> Symbol:
    dims = t.dims(node)
    if _is_weight(t, y) and isinstance(x, Symbol) and len(x.features) < 2:
        return Symbol(times(t, x, y, False), dims, x.edge)
    if _is_weight(t, x) and isinstance(y, Symbol) and len(y.features) < 2 and EACH not in y.dims:
        return Symbol(times(t, y, x), dims, y.edge)
    x, y = t.of(x), t.of(y)
    edge = x.edge or y.edge
    left = (1,) * (len(x.dims) < 2) + x.dims
    right = y.dims + (1,) * (len(y.dims) < 2)
    heads = [size for size in left[:-2] + right[:-2] if size > 1]
    rows, inner, cols = left[-2], left[-1], right[-1]
    if EACH == rows == cols or (EACH in left[:-2] + right[:-2] and EACH in (rows, inner, cols)):
        raise Unsupported("cavs does not pair children with children")
    if inner == EACH or (inner == 1 and heads):
        return _product_of_columns_and_rows(t, Symbol(x.value, left, x.edge), Symbol(y.value, right, y.edge), dims)
    if rows in (1, EACH) and cols in (1, EACH):  # a dot product, or one per head of attention
        product = x.value * y.value
        return Symbol(cavs.batch_matmul(product, t.ones(inner)) if heads else cavs.dot(x.value, y.value), dims, edge)
    if heads:
        raise Unsupported("cavs has no product of several matrices per row")
    a = cavs.reshape(x.value, tuple(1 if size < 0 else size for size in left[-2:]))
    b = cavs.reshape(y.value, tuple(1 if size < 0 else size for size in right[-2:]))
    return t.folded(cavs.batch_matmul(a, b), dims, edge, True)


def _is_weight(t: Declaration, x: Any) -> bool:
    return isinstance(x, Node) and t.trace.level[x] == PARAMETERS and bool(x.meta["val"].dim() == 2)


def _product_of_columns_and_rows(t: Declaration, x: Symbol, y: Symbol, dims: Dims) -> Symbol:
    """[rows, children] times [children, columns]: a sum of outer products over the children; or one outer product."""
    heads = tuple(b if a == 1 else a for a, b in zip(x.dims[:-2], y.dims[:-2]))
    shape = (*heads, x.dims[-2], y.dims[-1])
    a = t.fit(Symbol(x.value, (*x.dims[:-1], 1), x.edge), shape)
    b = t.fit(Symbol(y.value, (*y.dims[:-2], 1, y.dims[-1]), y.edge), shape)
    product = Symbol(a.value * b.value, shape, x.edge or y.edge)
    if x.dims[-1] != EACH:
        return Symbol(product.value, dims, product.edge)
    return Symbol(cavs.sum_children(t.rows(product)), dims)


@rule("addmm", "addmv")
def addmm(t: Declaration, node: Node, b: Any, x: Any, y: Any, *, beta: float = 1, alpha: float = 1) -> Symbol:
    if beta != 1 or alpha != 1:
        raise Unsupported("addmm with factors")
    product = matmul(t, node, x, y)
    return _with_bias(t, node, product.value, product.edge, b)


@rule("bilinear")
def bilinear(t: Declaration, node: Node, x: Any, y: Any, w: Any, b: Any = None) -> Symbol:
    """x [p] times w [n, p, q], rearranged to [p, n q], is a matrix [n, q] per row, which multiplies y [q]."""
    x, y = t.of(x), t.of(y)
    n, p, q = w.meta["val"].shape
    made = t.parameter(w, lambda tensor: tensor.permute(1, 0, 2).reshape(p, n * q), (p, n * q), "@bilinear")
    z = cavs.batch_matmul(cavs.reshape(cavs.matmul(x.value, made), (n, q)), y.value)
    return _with_bias(t, node, z, x.edge or y.edge, b)


def _gates(t: Declaration, count: int, x: Symbol, h: Symbol, weights: tuple[Any, ...]) -> Iterator[list[cavs.Value]]:
    """Yields the gates that a PyTorch cell computes from its input, then the gates that it computes from its state."""
    wi, wh, *biases = weights
    bi, bh = biases or (None, None)
    size = wi.meta["val"].shape[0] // count
    for z, w, b in ((x, wi, bi), (h, wh, bh)):
        y = times(t, z, w)
        if b is not None:
            y = y + t.parameter(b)
        yield [cavs.slice(y, k * size, size) for k in range(count)]


@rule("lstm_cell")
def lstm_cell(t: Declaration, node: Node, x: Any, states: Any, *weights: Any) -> tuple[Symbol, Symbol]:
    h, c = (t.of(state) for state in states)
    x = t.of(x)
    i, f, g, o = (a + b for a, b in zip(*_gates(t, 4, x, h, weights)))
    new = cavs.sigmoid(f) * c.value + cavs.sigmoid(i) * cavs.tanh(g)
    edge = x.edge or h.edge or c.edge
    dims = t.dims(node.meta["val"][0])
    return Symbol(cavs.sigmoid(o) * cavs.tanh(new), dims, edge), Symbol(new, dims, edge)


@rule("gru_cell")
def gru_cell(t: Declaration, node: Node, x: Any, h: Any, *weights: Any) -> Symbol:
    x, h = t.of(x), t.of(h)
    (ar, az, an), (br, bz, bn) = _gates(t, 3, x, h, weights)
    z = cavs.sigmoid(az + bz)
    new = cavs.tanh(an + cavs.sigmoid(ar + br) * bn)
    return Symbol(new + z * (h.value - new), t.dims(node), x.edge or h.edge)


@rule("scaled_dot_product_attention")
def attention(
    t: Declaration,
    node: Node,
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    dropout: float = 0.0,
    causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Symbol:
    q, k, v = t.of(q), t.of(k), t.of(v)
    heads = [size for size in q.dims[:-2] if size != 1]
    if mask is not None or causal or dropout or enable_gqa or q.dims[-2] != 1 or k.dims[-2] != EACH or len(heads) > 1:
        raise Unsupported("cavs has attention of one query over the children, without mask and dropout")
    width = q.dims[-1]
    scores = cavs.batch_matmul(q.value * k.value, t.ones(width)) if heads else cavs.dot(q.value, k.value)
    weights = cavs.softmax_children(scores * (width**-0.5 if scale is None else scale))
    spread = t.fit(Symbol(weights, (*heads, 1), True), (*heads, v.dims[-1]))
    return Symbol(cavs.sum_children(t.rows(Symbol(spread.value * v.value, v.dims, True))), t.dims(node))


@rule("embedding")
def embedding(
    t: Declaration, node: Node, w: Any, i: Any, padding: int = -1, by_frequency: bool = False, sparse: bool = False
) -> Symbol:
    if not isinstance(w, Node) or not isinstance(i, Number):
        raise Unsupported("cavs looks up rows only in a parameter, by an Index or an EdgeIndex")
    rows, *shape = w.meta["val"].shape
    t.plan.rows[i.port] = min(rows, t.plan.rows.get(i.port, rows))
    return t.folded(t.table(w, (rows, math.prod(shape)), padding, sparse)(i.value), t.dims(node), i.edge)


@rule("index")
def index(t: Declaration, node: Node, w: Any, indices: Any) -> Symbol:
    if len(indices) != 1:
        raise Unsupported("cavs looks up rows by one integer")
    return embedding(t, node, w, indices[0])


@rule("native_dropout")
def native_dropout(t: Declaration, node: Node, x: Any, p: float, train: bool | None) -> tuple[Symbol, None]:
    x = t.of(x)
    if not train or not p:
        return x, None
    if BOTH in x.dims:
        raise Unsupported("cavs has dropout for rows of a vertex or of its children, not of both at the same time")
    t.plan.dropout(t.trace, node, p)
    return Symbol(cavs.dropout(x.value, p), x.dims, x.edge), None
