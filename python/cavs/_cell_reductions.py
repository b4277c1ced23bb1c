"""Rules for reductions over children or over features: sums, means, extremes, softmax, norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.fx import Node

from . import _core as cavs
from ._cell_specs import Unsupported
from ._cell_shapes import shown
from ._cell_symbols import EACH, Declaration, Symbol, axis, rule

Function = Callable[[cavs.Value], cavs.Value]


def axes_of(x: Symbol, dim: Any) -> list[int]:
    """Returns the dimensions of a reduction, counted from 0; all dimensions if `dim` is None."""
    if dim is None or dim == []:
        return list(range(len(x.dims)))
    return sorted(axis(x, d) for d in ([dim] if isinstance(dim, int) else dim))


def reduce(
    t: Declaration,
    node: Node,
    x: Symbol,
    dim: Any,
    over_children: Function,
    over_features: Function,
    scale: Callable[[int], float] | None = None,
) -> Symbol:
    """Reduces x. scale: factor for sums over one of two features, which are products with ones; None for maxima."""
    axes = axes_of(x, dim)
    features = [d for d, size in enumerate(x.dims) if size > 1]
    inner = [d for d in axes if d in features]
    value, edge = x.value, x.edge
    if inner and inner == features:
        value = over_features(value)
    elif inner:
        value = _over_one_feature(t, x, inner, features, scale)
    if any(x.dims[d] == EACH for d in axes):
        value = over_children(t.rows(Symbol(value, x.dims, edge)))
        edge = False
    made = node.meta["val"]
    return Symbol(value, t.dims(made[0] if isinstance(made, (tuple, list)) else made), edge)


def _over_one_feature(
    t: Declaration, x: Symbol, inner: Sequence[int], features: Sequence[int], scale: Callable[[int], float] | None
) -> cavs.Value:
    if scale is None or len(features) != 2:
        raise Unsupported(f"cavs does not reduce {shown(x.dims)} over dimensions {list(inner)}")
    size = x.dims[inner[0]]
    ones = t.ones(size)
    product = cavs.batch_matmul(x.value, ones) if inner[0] == features[1] else cavs.batch_matmul(ones, x.value)
    return product * scale(size)


@rule("sum")
def sum_(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any, **__: Any) -> Symbol:
    return reduce(t, node, t.of(x), dim, cavs.sum_children, cavs.sum_features, lambda size: 1.0)


@rule("mean")
def mean(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any, **__: Any) -> Symbol:
    return reduce(t, node, t.of(x), dim, cavs.mean_children, cavs.mean_features, lambda size: 1 / size)


@rule("amax")
def amax(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any) -> Symbol:
    return reduce(t, node, t.of(x), dim, cavs.max_children, cavs.max_features)


@rule("amin")
def amin(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any) -> Symbol:
    x = t.of(x)
    y = amax(t, node, Symbol(-x.value, x.dims, x.edge), dim)
    return Symbol(-y.value, y.dims, y.edge)


@rule("max")
def max_(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any) -> Any:
    return _with_no_places(amax, t, node, x, dim)


@rule("min")
def min_(t: Declaration, node: Node, x: Any, dim: Any = None, *_: Any) -> Any:
    return _with_no_places(amin, t, node, x, dim)


def _with_no_places(function: Callable[..., Symbol], t: Declaration, node: Node, x: Any, dim: Any) -> Any:
    """Rule for max(dim), which returns values and indices; only the values are supported."""
    y = function(t, node, x, dim)
    return y if dim is None else (y, None)


@rule("var")
def var(t: Declaration, node: Node, x: Any, dim: Any = None, correction: float = 1, keepdim: bool = False) -> Symbol:
    x = t.of(x)
    axes = axes_of(x, dim)
    features = [d for d, size in enumerate(x.dims) if size > 1]
    if len(features) != 1 or [d for d in axes if x.dims[d] != 1] != features:
        raise Unsupported(f"cavs has no variance of {shown(x.dims)} over dimensions {axes}")
    size = x.features[0]
    off = x.value - cavs.mean_features(x.value)
    return Symbol(cavs.sum_features(off * off) * (1 / (size - correction)), t.dims(node), x.edge)


@rule("linalg_vector_norm")
def vector_norm(t: Declaration, node: Node, x: Any, order: float = 2, dim: Any = None, *_: Any, **__: Any) -> Symbol:
    """Rule for vector_norm. The gradient at zeros is 0, as in PyTorch."""
    x = t.of(x)
    if order == 1:
        return sum_(t, node, Symbol(cavs.abs(x.value), x.dims, x.edge), dim)
    if order != 2:
        raise Unsupported(f"cavs has no norm of order {order}")
    total = sum_(t, node, Symbol(cavs.square(x.value), x.dims, x.edge), dim)
    zero = cavs.equal(total.value, 0.0)
    return Symbol(cavs.sqrt(total.value + zero) - zero, total.dims, total.edge)


@rule("softmax", "log_softmax")
def softmax(t: Declaration, node: Node, x: Any, dim: int, *_: Any) -> Symbol:
    x = t.of(x)
    dim = axis(x, dim)
    log = "log" in str(node.target)
    if x.dims and x.dims[dim] == EACH:
        rows = t.rows(x)
        if log:
            return Symbol(rows - _log_sum_exp(rows, cavs.max_children, cavs.sum_children), x.dims, True)
        return Symbol(cavs.softmax_children(rows), x.dims, True)
    if x.dims and x.features == (x.dims[dim],):
        return Symbol((cavs.log_softmax if log else cavs.softmax)(x.value), x.dims, x.edge)
    raise Unsupported("cavs has no softmax over a part of the features")


def _log_sum_exp(x: cavs.Value, largest: Function, total: Function) -> cavs.Value:
    top = largest(x)
    return top + cavs.log(total(cavs.exp(x - top)))


@rule("logsumexp")
def log_sum_exp(t: Declaration, node: Node, x: Any, dim: Any, *_: Any) -> Symbol:
    return reduce(
        t,
        node,
        t.of(x),
        dim,
        lambda y: _log_sum_exp(y, cavs.max_children, cavs.sum_children),
        lambda y: _log_sum_exp(y, cavs.max_features, cavs.sum_features),
    )


@rule("layer_norm")
def layer_norm(
    t: Declaration, node: Node, x: Any, shape: Sequence[int], w: Any = None, b: Any = None, eps: float = 1e-5, *_: Any
) -> Symbol:
    x = t.of(x)
    if x.features != tuple(shape):
        raise Unsupported("cavs has no normalization over a part of the features")
    return affine(t, Symbol(cavs.layer_norm(x.value, eps), x.dims, x.edge), w, b)


def affine(t: Declaration, x: Symbol, w: Any, b: Any) -> Symbol:
    value = x.value
    if w is not None:
        value = value * t.fit(w, x.dims).value
    if b is not None:
        value = value + t.fit(b, x.dims).value
    return Symbol(value, x.dims, x.edge)
