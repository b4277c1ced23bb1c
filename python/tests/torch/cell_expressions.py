"""Small cells that use each rule of cavs.torch.batched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import cavs
import cavs.torch
from cavs.torch import Children, EdgeIndex, Index

D, H = 4, 6


class Given(NamedTuple):
    """Input of a function besides rows. word: index of the vertex, below H. kinds: indices of the edges, below H."""

    w: Tensor
    b: Tensor
    word: Any  # a Tensor, or None
    kinds: Any
    training: bool


Function = Callable[[Given, Tensor, Tensor], Tensor]


class Expression(nn.Module):
    """Computes `function` of a row q, which depends on the children, and of the children hs, inside the recursion."""

    def __init__(self, function: Function) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.u = nn.Linear(H, H)
        self.w = nn.Parameter(torch.randn(H, H) * 0.4)
        self.b = nn.Parameter(torch.randn(H) * 0.4)
        self.function = function

    def forward(self, x: Tensor, hs: Tensor, word: Tensor | None = None, kinds: Tensor | None = None) -> Tensor:
        q = torch.tanh(self.x(x) + self.u(hs).sum(0)) * 1.5
        return torch.tanh(self.function(Given(self.w, self.b, word, kinds, self.training), q, hs))


def arguments() -> dict[str, Any]:
    return {"x": D, "hs": Children("h")}


class SideBySide(nn.Module):
    """Several expressions in one cell, since tracing a cell takes longer than an expression. Each has its own state."""

    ports = {"word": H}
    edge_ports = {"kinds": H}

    def __init__(self, functions: Sequence[Function]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(map(Expression, functions))
        self.returns = {f"h{i}": H for i in range(len(functions))}
        self.arguments: dict[str, Any] = {
            "x": D, "hs": tuple(map(Children, self.returns)), "word": Index(), "kinds": EdgeIndex()}

    def forward(self, x: Tensor, hs: Sequence[Tensor], word: Tensor, kinds: Tensor) -> tuple[Tensor, ...]:
        return tuple(part(x, h, word, kinds) for part, h in zip(self.parts, hs))

    def batched(self, check: bool = True) -> cavs.torch.Batched:
        return cavs.torch.batched(self, self.returns, check=check, **self.arguments)


def positive(q: Tensor) -> Tensor:
    return q.abs() + 0.5


# Each expression uses the rule of its name.
ELEMENTWISE: dict[str, Function] = {
    "add": lambda s, q, hs: q + s.b,
    "sub": lambda s, q, hs: torch.sub(q, s.b, alpha=2),
    "mul": lambda s, q, hs: q * s.b * 3,
    "div": lambda s, q, hs: s.b / positive(q),
    "neg": lambda s, q, hs: -q,
    "abs": lambda s, q, hs: torch.abs(q),
    "reciprocal": lambda s, q, hs: torch.reciprocal(positive(q)),
    "pow": lambda s, q, hs: positive(q) ** 2.5 + q ** 2 + 2 ** q + positive(q) ** q + q ** 3 + q ** 0,
    "sqrt": lambda s, q, hs: torch.sqrt(positive(q)),
    "rsqrt": lambda s, q, hs: torch.rsqrt(positive(q)),
    "remainder": lambda s, q, hs: torch.remainder(q, 0.7),
    "fmod": lambda s, q, hs: torch.fmod(q, 0.7),
    "exp": lambda s, q, hs: torch.exp(q),
    "exp2": lambda s, q, hs: torch.exp2(q),
    "expm1": lambda s, q, hs: torch.expm1(q),
    "log": lambda s, q, hs: torch.log(positive(q)),
    "log2": lambda s, q, hs: torch.log2(positive(q)),
    "log10": lambda s, q, hs: torch.log10(positive(q)),
    "log1p": lambda s, q, hs: torch.log1p(positive(q)),
    "sin": lambda s, q, hs: torch.sin(3 * q),
    "cos": lambda s, q, hs: torch.cos(3 * q),
    "tan": lambda s, q, hs: torch.tan(q * 0.5),
    "tanh": lambda s, q, hs: torch.tanh(2 * q),
    "sinh": lambda s, q, hs: torch.sinh(q),
    "cosh": lambda s, q, hs: torch.cosh(q),
    "erf": lambda s, q, hs: torch.erf(q),
    "sigmoid": lambda s, q, hs: torch.sigmoid(3 * q),
    "relu": lambda s, q, hs: torch.relu(q),
    "leaky_relu": lambda s, q, hs: F.leaky_relu(q, 0.2),
    "elu": lambda s, q, hs: F.elu(q, 0.7) + F.selu(q) + F.celu(q, 0.4),
    "gelu": lambda s, q, hs: F.gelu(q) + F.gelu(2 * q, approximate="tanh"),
    "silu": lambda s, q, hs: F.silu(q),
    "softplus": lambda s, q, hs: F.softplus(q, 2) + F.mish(q),
    "floor": lambda s, q, hs: torch.floor(3 * q) + q,
    "ceil": lambda s, q, hs: torch.ceil(3 * q) + q,
    "round": lambda s, q, hs: torch.round(3 * q) + q,
    "trunc": lambda s, q, hs: torch.trunc(3 * q) + q,
    "sign": lambda s, q, hs: torch.sign(q) + q,
    "detach": lambda s, q, hs: q.detach() * q,
    "maximum": lambda s, q, hs: torch.maximum(q, s.b),
    "minimum": lambda s, q, hs: torch.minimum(q, s.b),
    "clamp": lambda s, q, hs: q.clamp(-0.5, 0.6) + q.clamp(min=0.1) + q.clamp(max=0.2),
    "hardtanh": lambda s, q, hs: F.hardtanh(q) + F.relu6(q),
    "where": lambda s, q, hs: torch.where(q > 0, q, s.b),
    "gt": lambda s, q, hs: (q > s.b).float() * q,
    "lt": lambda s, q, hs: (q < 0.1) * q,
    "ge": lambda s, q, hs: (q >= s.b).float() * q,
    "le": lambda s, q, hs: (q <= s.b).float() * q,
    "eq": lambda s, q, hs: (q.clamp(min=0.1) == 0.1).float() + q,
    "ne": lambda s, q, hs: (q.clamp(min=0.1) != 0.1).float() + q,
    "logical_not": lambda s, q, hs: torch.logical_not(q > 0) * q,
    "logical_and": lambda s, q, hs: ((q > -0.5) & (q < 0.5)) * q,
    "logical_or": lambda s, q, hs: ((q < -0.5) | (q > 0.5)) * q,
    "logical_xor": lambda s, q, hs: ((q > -0.5) ^ (q > 0.5)) * q,
}


def matrix(q: Tensor) -> Tensor:
    return q.view(2, 3)


def gates(s: Given, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Weights and biases of a recurrent PyTorch cell with this number of gates."""
    w = torch.cat([s.w, s.w.t(), s.w * 0.5, -s.w][:count])
    b = torch.cat([s.b, s.b * 2, -s.b, s.b * 0.5][:count])
    return w, w * 0.7, b, b * 0.3


# Expressions that use the rules that are not element-wise, in different ways.
OTHERS: dict[str, Function] = {
    "view": lambda s, q, hs: (q.view(2, 3) @ s.w[:3, :3]).view(H),
    "rows of two features": lambda s, q, hs: hs.view(-1, 2, 3).sum(0).view(H) + q,
    "permute": lambda s, q, hs: matrix(q).t().reshape(H) * s.b,
    "expand": lambda s, q, hs: (q.mean(0, keepdim=True).expand(H) * s.b) + q,
    "expand to the children": lambda s, q, hs: (q.expand_as(hs) * hs).sum(0),
    "repeat": lambda s, q, hs: (q[None].repeat(len(hs), 1) * hs).sum(0),
    "repeat of columns": lambda s, q, hs: (q[:3].repeat(2) * s.b + hs[:, :2].repeat(1, 3).sum(0)),
    "chunk": lambda s, q, hs: torch.cat([b * a for a, b in [q.chunk(2)]] * 2),
    "split_with_sizes": lambda s, q, hs: torch.cat([a * 2 for a in q.split([2, 4])]),
    "alias": lambda s, q, hs: q.swapaxes(0, 0) * s.b,
    "slice": lambda s, q, hs: torch.cat([q[2:], q[:2]]),
    "slice of a matrix": lambda s, q, hs: torch.cat([matrix(q)[:, 1:].reshape(4), q[:2]]),
    "select": lambda s, q, hs: matrix(q)[1].sum() * s.b + q[2],
    "unbind": lambda s, q, hs: torch.cat([a * 2 for a in matrix(q).unbind(0)]),
    "cat": lambda s, q, hs: torch.cat([q, s.b]) @ torch.cat([s.w, s.w * 2]),
    "cat of children": lambda s, q, hs: (torch.cat([hs, hs * 2, q.expand_as(hs)], -1) @
                                         torch.cat([s.w, s.w, s.w * 2])).sum(0),
    "other functions": lambda s, q, hs: torch.lerp(q, s.b, 0.3) + torch.addcmul(q, q, s.b) + torch.square(q) +
                       F.logsigmoid(q) + F.hardswish(q) + F.softsign(q) + F.tanhshrink(q) + F.glu(torch.cat([q, q])),
    "stack": lambda s, q, hs: torch.stack([q, q * s.b]).sum(0),
    "full": lambda s, q, hs: torch.zeros(len(hs), H).sum(0) + torch.full((len(hs), H), 0.3).sum(0) + q,
    "full_like": lambda s, q, hs: (torch.ones_like(hs) * 0.5 * hs).sum(0),
    "sym_size": lambda s, q, hs: hs.sum(0) / (len(hs) + 1),
    "linear": lambda s, q, hs: F.linear(q, s.w, s.b),
    "linear of children": lambda s, q, hs: F.linear(hs, s.w, s.b).sum(0),
    "linear of a matrix": lambda s, q, hs: F.linear(matrix(q), s.w[:3, :3], s.b[:3]).reshape(H),
    "matmul": lambda s, q, hs: q @ s.w + s.w @ q + s.w.t() @ q,
    "mm": lambda s, q, hs: torch.mm(hs, s.w).sum(0),
    "mv": lambda s, q, hs: torch.mv(s.w, q),
    "dot": lambda s, q, hs: torch.dot(q, s.b) * q,
    "bmm": lambda s, q, hs: torch.bmm(q.view(1, 2, 3), q.view(1, 3, 2)).sum() * q,
    "attention": lambda s, q, hs: torch.softmax(hs @ q, 0) @ hs,
    "addmm": lambda s, q, hs: torch.addmm(s.b, hs, s.w).sum(0),
    "bilinear": lambda s, q, hs: F.bilinear(q, q, s.w.view(1, H, H).expand(H, H, H).contiguous(), s.b),
    "scaled_dot_product_attention": lambda s, q, hs: F.scaled_dot_product_attention(q[None], hs, hs * 2)[0],
    "sum": lambda s, q, hs: hs.sum(0) + q.sum(),
    "sum of all": lambda s, q, hs: hs.sum() * s.b,
    "sum of columns": lambda s, q, hs: torch.cat([matrix(q).sum(0), matrix(q).sum(0)]),
    "mean": lambda s, q, hs: q.mean() * s.b + matrix(q).mean(1).sum(),
    "mean of the features of children": lambda s, q, hs: (hs.mean(-1, keepdim=True) * hs).sum(0),
    "amax": lambda s, q, hs: q.amax(0) * s.b + q.amin(0),
    "max": lambda s, q, hs: q.max() * s.b + q.max(0).values,
    "min": lambda s, q, hs: q.min() * s.b + q.min(0).values,
    "var": lambda s, q, hs: q.var() * s.b + q.std(0, unbiased=False),
    "linalg_vector_norm": lambda s, q, hs: F.normalize(hs.sum(0), dim=0) + q.norm() * 0.1 + q.norm(p=1) * 0.1,
    "softmax": lambda s, q, hs: torch.softmax(q, 0),
    "softmax over children": lambda s, q, hs: (torch.softmax(hs, 0) * hs).sum(0),
    "log_softmax": lambda s, q, hs: torch.log_softmax(q, 0),
    "log_softmax over children": lambda s, q, hs: (torch.log_softmax(hs, 0) * hs).sum(0),
    "logsumexp": lambda s, q, hs: torch.logsumexp(q, 0) * s.b,
    "layer_norm": lambda s, q, hs: F.layer_norm(q, (H,), s.b, s.b * 2),
    "layer_norm of children": lambda s, q, hs: F.layer_norm(hs, (H,)).sum(0),
    "_to_copy": lambda s, q, hs: (q > 0).float() * q,
    "addmv": lambda s, q, hs: torch.addmv(s.b, s.w, q),
    "clone": lambda s, q, hs: q.clone() * s.b,
    "unsqueeze": lambda s, q, hs: (q.unsqueeze(0) * hs.unsqueeze(1).squeeze(1)).sum(0),
    "lstm_cell": lambda s, q, hs: torch.cat(torch.lstm_cell(q[None], (hs.sum(0)[None], q[None]), *gates(s, 4)), 1)[0, 3:9],
    "gru_cell": lambda s, q, hs: torch.gru_cell(q[None], hs.sum(0)[None], *gates(s, 3))[0],
    "rnn_tanh_cell": lambda s, q, hs: torch.rnn_tanh_cell(q[None], hs.sum(0)[None], *gates(s, 1))[0],
    "rnn_relu_cell": lambda s, q, hs: torch.rnn_relu_cell(q[None], hs.sum(0)[None], *gates(s, 1))[0],
    "embedding": lambda s, q, hs: F.embedding(s.word, s.w) * q,
    "embedding with padding": lambda s, q, hs: F.embedding(s.word, s.w, padding_idx=1) * q,
    "embedding of edges": lambda s, q, hs: (F.embedding(s.kinds, s.w) * hs).sum(0),
    "index": lambda s, q, hs: (s.w[s.kinds] * hs).sum(0),
    "native_dropout": lambda s, q, hs: F.dropout(q, 0.3, s.training) * s.b,
}


def rows(q: Tensor, hs: Tensor) -> Tensor:
    """The rows of the vertex and of its children, in one tensor."""
    return torch.cat([q[None], hs])


def two_heads(x: Tensor) -> Tensor:
    return x.view(-1, 2, 3).transpose(0, 1)


# Expressions over the vertex itself and its children.
BOTH: dict[str, Function] = {
    "sum": lambda s, q, hs: rows(q, hs).sum(0),
    "mean": lambda s, q, hs: rows(q, hs).mean(0) + rows(q, hs).mean(),
    "amax": lambda s, q, hs: rows(q, hs).amax(0) + rows(q, hs).max(0).values,
    "amin": lambda s, q, hs: rows(q, hs).amin(0) + rows(q, hs).min(0).values,
    "logsumexp": lambda s, q, hs: rows(q, hs).logsumexp(0),
    "softmax": lambda s, q, hs: (torch.softmax(rows(q, hs), 0) * rows(q, hs)).sum(0),
    "log_softmax": lambda s, q, hs: (torch.log_softmax(rows(q, hs), 0) * rows(q, hs)).sum(0) * 0.1,
    "linear": lambda s, q, hs: (rows(q, hs) @ s.w + s.b).relu().sum(0),
    "attention": lambda s, q, hs: torch.softmax(rows(q, hs) @ s.w @ q, 0) @ rows(q, hs),
    "scaled attention": lambda s, q, hs: F.scaled_dot_product_attention(q[None], rows(q, hs), rows(q, hs) * 2)[0],
    "heads": lambda s, q, hs: F.scaled_dot_product_attention(
        q.view(2, 1, 3), two_heads(rows(q, hs)), two_heads(rows(q, hs))).reshape(H),
    "vertex last": lambda s, q, hs: (torch.softmax(torch.cat([hs, q[None]]) @ q, 0) @ torch.cat([hs, q[None]])),
    "own row": lambda s, q, hs: (rows(q, hs) * s.b)[0] + (rows(q, hs) * s.b)[1:].sum(0),
    "columns": lambda s, q, hs: torch.cat([a * b for a, b in [rows(q, hs).chunk(2, -1)]] * 2, -1).sum(0),
    "query for each": lambda s, q, hs: torch.cat([rows(q, hs), q.expand(len(hs) + 1, -1)], -1).sum(0)[:H],
    "norm": lambda s, q, hs: F.layer_norm(rows(q, hs), (H,), s.b, s.b).sum(0),
    "number": lambda s, q, hs: rows(q, hs).sum(0) / len(rows(q, hs)),
    "mv": lambda s, q, hs: torch.mv(rows(q, hs).t(), torch.mv(rows(q, hs), s.b)),
    "mm": lambda s, q, hs: torch.mm(rows(q, hs).t(), rows(q, hs)).sum(0),
    "bmm": lambda s, q, hs: torch.bmm(two_heads(rows(q, hs)).sum(-1, keepdim=True).transpose(1, 2),
                                      two_heads(rows(q, hs))).reshape(H),
}


# Loops over the children. A cell with one is traced with a fixed number of children.
LOOPS: dict[str, Function] = {
    "sum": lambda s, q, hs: q + sum(torch.tanh(h * s.b) for h in hs),
    "list": lambda s, q, hs: torch.stack([h @ s.w for h in hs]).sum(0) if len(hs) else q * 2,
    "own row first": lambda s, q, hs: torch.stack([q, *(h * s.b for h in hs)]).sum(0),
    "own row last": lambda s, q, hs: torch.cat([*(torch.relu(h)[None] for h in hs), q[None]]).sum(0),
    "rows beside a loop": lambda s, q, hs: rows(q, hs).amax(0) + sum(h * s.b for h in hs),
}
