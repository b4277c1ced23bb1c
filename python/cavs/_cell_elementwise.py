"""Element-wise operations, one line each, in terms of cavs values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import _core as cavs
from ._cell_specs import Unsupported

Element = Any  # a cavs.Value or a number
_erf: Any = cavs.elementwise(name="erf")(lambda x: cavs.erf(x))
_detach: Any = cavs.elementwise(name="detach", gradient=lambda dy, y, x: 0.0 * dy)(lambda x: 1.0 * x)


def _add(x: Element, y: Element, alpha: float = 1) -> Element:
    return x + (y if alpha == 1 else y * alpha)


def _subtract(x: Element, y: Element, alpha: float = 1) -> Element:
    return x - (y if alpha == 1 else y * alpha)


def _divide(x: Element, y: Element, rounding_mode: str | None = None) -> Element:
    quotient = x / y
    if rounding_mode is None:
        return quotient
    return cavs.floor(quotient) if rounding_mode == "floor" else _truncate(quotient)


def _truncate(x: Element) -> Element:
    return cavs.sign(x) * cavs.floor(cavs.abs(x))


def _clamp(x: Element, low: Element = None, high: Element = None) -> Element:
    """Clamps x. The gradient at a bound is 1, as in PyTorch, where cavs.max would give one half."""
    if low is None and high is None:
        raise Unsupported("clamp without bounds")
    inside: Element = 1.0
    bound: Element = 0.0
    if low is not None:
        inside = x >= low
        bound = (1.0 - inside) * low
    if high is not None:
        below = x <= high
        bound = bound + (1.0 - below) * high
        inside = below * inside
    return cavs.keep(inside, x) + bound


def _power(x: Element, y: Element) -> Element:
    if not isinstance(y, (int, float)):
        return cavs.pow(x, y)
    if y == 0:
        return x * 0.0 + 1.0
    special = _POWERS.get(y)
    return special(x) if special else cavs.pow(x, float(y))


_POWERS: dict[float, Callable[[Element], Element]] = {
    1: lambda x: x,
    2: lambda x: cavs.square(x),
    3: lambda x: x * x * x,
    0.5: lambda x: cavs.sqrt(x),
    -1: lambda x: 1.0 / x,
    -0.5: lambda x: 1.0 / cavs.sqrt(x),
}


def _gelu(x: Element, approximate: str = "none") -> Element:
    if approximate == "none":
        return cavs.gelu(x)
    return x * cavs.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))


def _leaky_relu(x: Element, slope: float = 0.01) -> Element:
    return cavs.where(x > 0.0, x, slope * x)


def _elu(x: Element, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Element:
    negative = cavs.keep(x <= 0.0, x)
    return scale * cavs.keep(x > 0.0, x) + scale * alpha * (cavs.exp(input_scale * negative) - 1.0)


def _softplus(x: Element, beta: float = 1.0, threshold: float = 20.0) -> Element:
    """Returns log(1 + exp(x)) without exp of large numbers. Above the threshold the result is x, within 3e-9."""
    if threshold < 15:
        raise Unsupported(f"softplus with threshold {threshold}")
    z = beta * x
    return (cavs.max(z, 0.0) + cavs.log(1.0 + cavs.exp(-cavs.abs(z)))) / beta


def _remainder(x: Element, y: Element) -> Element:
    return x - cavs.floor(x / y) * y


def _fmod(x: Element, y: Element) -> Element:
    return x - _truncate(x / y) * y


ELEMENTWISE: dict[str, Callable[..., Element]] = {
    # arithmetic
    "add": _add,
    "sub": _subtract,
    "mul": lambda x, y: x * y,
    "div": _divide,
    "neg": lambda x: -x,
    "abs": lambda x: cavs.abs(x),
    "reciprocal": lambda x: 1.0 / x,
    "pow": _power,
    "sqrt": lambda x: cavs.sqrt(x),
    "rsqrt": lambda x: 1.0 / cavs.sqrt(x),
    "remainder": _remainder,
    "fmod": _fmod,
    # functions
    "exp": lambda x: cavs.exp(x),
    "exp2": lambda x: cavs.exp(math.log(2) * x),
    "expm1": lambda x: cavs.exp(x) - 1.0,
    "log": lambda x: cavs.log(x),
    "log2": lambda x: cavs.log(x) / math.log(2),
    "log10": lambda x: cavs.log(x) / math.log(10),
    "log1p": lambda x: cavs.log(1.0 + x),
    "sin": lambda x: cavs.sin(x),
    "cos": lambda x: cavs.cos(x),
    "tan": lambda x: cavs.sin(x) / cavs.cos(x),
    "tanh": lambda x: cavs.tanh(x),
    "sinh": lambda x: (cavs.exp(x) - cavs.exp(-x)) * 0.5,
    "cosh": lambda x: (cavs.exp(x) + cavs.exp(-x)) * 0.5,
    "erf": lambda x: _erf(x),
    "sigmoid": lambda x: cavs.sigmoid(x),
    # activations
    "relu": lambda x: cavs.relu(x),
    "leaky_relu": _leaky_relu,
    "elu": _elu,
    "gelu": _gelu,
    "silu": lambda x: x * cavs.sigmoid(x),
    "softplus": _softplus,
    # steps, which have no gradient
    "floor": lambda x: cavs.floor(x),
    "ceil": lambda x: -cavs.floor(-x),
    "round": lambda x: cavs.round(x),
    "trunc": _truncate,
    "sign": lambda x: cavs.sign(x),
    "detach": lambda x: _detach(x),
    # choices
    "maximum": lambda x, y: cavs.max(x, y),
    "minimum": lambda x, y: cavs.min(x, y),
    "clamp": _clamp,
    "hardtanh": lambda x, low=-1.0, high=1.0: _clamp(x, low, high),
    "where": lambda condition, x, y: cavs.where(condition, x, y),
    "gt": lambda x, y: x > y,
    "lt": lambda x, y: x < y,
    "ge": lambda x, y: x >= y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: cavs.equal(x, y),
    "ne": lambda x, y: 1.0 - cavs.equal(x, y),
    "logical_not": lambda x: 1.0 - x,
    "logical_and": lambda x, y: x * y,
    "logical_or": lambda x, y: cavs.max(x, y),
    "logical_xor": lambda x, y: cavs.abs(x - y),
}

# Other names of the same operations. The bitwise operations apply only to booleans.
SAME = {
    "clamp_min": "clamp",
    "truediv": "div",
    "true_divide": "div",
    "bitwise_not": "logical_not",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "__and__": "logical_and",
    "__or__": "logical_or",
    "__xor__": "logical_xor",
}
BOOLEAN = frozenset(("logical_not", "logical_and", "logical_or", "logical_xor"))
