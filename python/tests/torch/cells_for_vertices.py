"""Typical cells for one vertex, which cavs.torch.batched must run."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils import parametrizations

D, H, WORDS = 5, 6, 11

States = tuple[Tensor, ...]


class ChildSum(nn.Module):
    """Tai et al., 2015."""

    def __init__(self, d: int = D, h: int = H) -> None:
        super().__init__()
        self.iou_x = nn.Linear(d, 3 * h)
        self.iou_h = nn.Linear(h, 3 * h, bias=False)
        self.f_x = nn.Linear(d, h)
        self.f_h = nn.Linear(h, h, bias=False)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> States:
        i, o, u = (self.iou_x(x) + self.iou_h(h.sum(0))).chunk(3)
        f = torch.sigmoid(self.f_x(x) + self.f_h(h))
        c = torch.sigmoid(i) * torch.tanh(u) + (f * c).sum(0)
        return torch.sigmoid(o) * torch.tanh(c), c


class RowsOfOne(nn.Module):
    """A common style: rows [1, d], len(), repeat, keepdim, and the recursion in forward."""

    def __init__(self) -> None:
        super().__init__()
        self.ioux = nn.Linear(D, 3 * H)
        self.iouh = nn.Linear(H, 3 * H)
        self.fx = nn.Linear(D, H)
        self.fh = nn.Linear(H, H)

    def node_forward(self, inputs: Tensor, child_c: Tensor, child_h: Tensor) -> States:
        inputs = inputs.unsqueeze(0)
        child_h_sum = torch.sum(child_h, dim=0, keepdim=True)
        iou = self.ioux(inputs) + self.iouh(child_h_sum)
        i, o, u = torch.split(iou, iou.size(1) // 3, dim=1)
        i, o, u = torch.sigmoid(i), torch.sigmoid(o), torch.tanh(u)
        f = torch.sigmoid(self.fh(child_h) + self.fx(inputs).repeat(len(child_h), 1))
        fc = torch.mul(f, child_c)
        c = torch.mul(i, u) + torch.sum(fc, dim=0, keepdim=True)
        return c, torch.mul(o, torch.tanh(c))

    def forward(self, tree: Any, inputs: Tensor) -> States:
        for child in tree.children:
            self.forward(child, inputs)
        c = torch.stack([child.state[0] for child in tree.children])
        h = torch.stack([child.state[1] for child in tree.children])
        return self.node_forward(inputs[tree.number], c, h)


class Binary(nn.Module):
    """The binary Tree-LSTM of SPINN."""

    def __init__(self) -> None:
        super().__init__()
        self.l = nn.Linear(2 * H, 5 * H)

    def forward(self, left: States, right: States) -> States:
        (hl, cl), (hr, cr) = left, right
        i, fl, fr, o, u = self.l(torch.cat([hl, hr], -1)).chunk(5, -1)
        c = i.sigmoid() * u.tanh() + fl.sigmoid() * cl + fr.sigmoid() * cr
        return o.sigmoid() * c.tanh(), c


class Leaf(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(WORDS, D, padding_idx=0)
        self.o = nn.Linear(D, 2 * H)

    def forward(self, word: Tensor) -> States:
        o, c = self.o(self.e(word)).chunk(2)
        return o.sigmoid() * c.tanh(), c


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.q = nn.Linear(D, H)
        self.k = nn.Linear(H, H)
        self.v = nn.Linear(H, H)
        self.norm = nn.LayerNorm(H)
        self.drop = nn.Dropout(0.1)
        self.mlp = nn.Sequential(nn.Linear(H, 2 * H), nn.GELU(), nn.Linear(2 * H, H))

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        q = self.q(x)
        a = torch.softmax(self.k(hs) @ q / q.shape[-1] ** 0.5, 0)
        y: Tensor = self.norm(self.drop(a @ self.v(hs)) + q)
        made: Tensor = y + self.mlp(y)
        return made


class MultiHead(nn.Module):
    def __init__(self, weights: bool) -> None:
        super().__init__()
        self.q = nn.Linear(D, H)
        self.a = nn.MultiheadAttention(H, 2)
        self.weights = weights

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        q = self.q(x).unsqueeze(0)
        y, _ = self.a(q, hs, hs, need_weights=self.weights)
        return torch.tanh(q.squeeze(0) + y.squeeze(0))


class GraphAttention(nn.Module):
    """GAT: additive scores with leaky ReLU, two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Linear(H, H)
        self.x = nn.Linear(D, H)
        self.a = nn.Parameter(torch.randn(2, H // 2) * 0.3)
        self.b = nn.Parameter(torch.randn(2, H // 2) * 0.3)

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        rows = self.w(hs).view(-1, 2, H // 2)
        own = self.x(x).view(2, H // 2)
        scores = F.leaky_relu((rows * self.a).sum(-1) + (own * self.b).sum(-1), 0.2)
        weights = torch.softmax(scores, 0)
        return torch.tanh((weights.unsqueeze(-1) * rows).sum(0).reshape(H) + own.reshape(H))


class TransformerBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.n1 = nn.LayerNorm(H)
        self.n2 = nn.LayerNorm(H)
        self.q = nn.Linear(H, H)
        self.kv = nn.Linear(H, 2 * H)
        self.o = nn.Linear(H, H)
        self.mlp = nn.Sequential(nn.Linear(H, 2 * H), nn.GELU("tanh"), nn.Linear(2 * H, H))

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        y: Tensor = self.x(x)
        q = self.q(self.n1(y)).view(2, 1, H // 2)
        k, v = self.kv(self.n1(hs)).chunk(2, -1)
        k, v = (z.view(-1, 2, H // 2).transpose(0, 1) for z in (k, v))
        y = y + self.o(F.scaled_dot_product_attention(q, k, v).reshape(H))
        made: Tensor = y + self.mlp(self.n2(y))
        return made


class Word(nn.Module):
    """An embedding, an MLP, a norm, dropout; logits as a second output."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.Embedding(WORDS, D)
        self.net = nn.Sequential(nn.Linear(D + H, 8), nn.SiLU(), nn.Dropout(0.2), nn.LayerNorm(8), nn.Linear(8, H),
                                 nn.LeakyReLU(0.1))
        self.head = nn.Sequential(nn.Linear(H, H), nn.ReLU(), nn.Linear(H, 3))

    def forward(self, word: Tensor, hs: Tensor) -> States:
        y = self.net(torch.cat([self.e(word), hs.sum(0)], -1)).tanh()
        return y, self.head(y).log_softmax(-1)


class Message(nn.Module):
    """Messages with edge features, a GRU for the vertex."""

    def __init__(self) -> None:
        super().__init__()
        self.bond = nn.Embedding(4, H)
        self.m = nn.Linear(H + 2, H)
        self.gru = nn.GRUCell(H, H)
        self.x = nn.Linear(D, H)

    def forward(self, x: Tensor, h: Tensor, length: Tensor, kind: Tensor) -> Tensor:
        messages = torch.relu(self.m(torch.cat([h, length], -1)) + self.bond(kind))
        y: Tensor = self.gru(messages.sum(0), torch.tanh(self.x(x)))
        return y


class PerKind(nn.Module):
    """A matrix per kind of edge."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, H, H) * 0.3)
        self.x = nn.Linear(D, H)

    def forward(self, x: Tensor, h: Tensor, kind: Tensor) -> Tensor:
        return torch.tanh(self.x(x) + torch.bmm(self.w[kind], h.unsqueeze(-1)).squeeze(-1).sum(0))


class TensorNetwork(nn.Module):
    """RNTN: Socher et al., 2013."""

    def __init__(self) -> None:
        super().__init__()
        self.b = nn.Bilinear(H, H, H)
        self.l = nn.Linear(2 * H, H)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        return torch.tanh(self.b(left, right) + self.l(torch.cat([left, right])))


class MatrixVector(nn.Module):
    """MV-RNN: Socher et al., 2012."""

    def __init__(self) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(2 * H, H) * 0.3)
        self.M = nn.Parameter(torch.randn(H, 2 * H) * 0.3)
        self.b = nn.Parameter(torch.randn(H) * 0.1)

    def forward(self, left: States, right: States) -> States:
        (a, A), (b, B) = left, right
        p = torch.tanh(torch.cat([B @ a, A @ b]) @ self.W + self.b)
        return p, torch.tanh(self.M @ torch.cat([A, B], 0) + torch.eye(len(a)))


class WeightNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = parametrizations.weight_norm(nn.Linear(H, H))
        self.o = parametrizations.orthogonal(nn.Linear(H, H))
        self.x = nn.Linear(D, H)
        self.scale = nn.Parameter(torch.zeros(H))

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        return torch.tanh(self.x(x) + self.a(hs).sum(0) * self.scale.exp() + self.o(hs.sum(0)))


class Pool(nn.Module):
    """Maximum, sum and number of the children, in one row."""

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.g = nn.Linear(3 * H + 1, H)

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        n = torch.ones(1) * hs.shape[0]
        total = F.relu(hs).sum(0)
        logs = torch.log1p(hs.exp().sum(0))
        squares = (hs * hs).sum(0) / (1 + hs.shape[0])
        return torch.tanh(self.x(x) + self.g(torch.cat([total, logs, squares, n])))


class Broadcast(nn.Module):
    """x broadcast to the children, gated by a scalar."""

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.g = nn.Linear(2 * H, 1)
        self.u = nn.Linear(H, H)

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        q = self.x(x)
        both = torch.cat([q.unsqueeze(0).expand(hs.shape[0], -1), hs], -1)
        gate = torch.sigmoid(self.g(both))
        return torch.tanh(q + self.u((gate * hs).sum(0) + q.expand_as(hs).sum(0)))
