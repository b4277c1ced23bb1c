"""Cells in different styles: in-place operations, lists and loops over children, branches, unsupported operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from cells_for_vertices import D, H, States
from torch import Tensor, nn


class InPlace(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.u = nn.Linear(H, H)

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        y: Tensor = self.x(x)
        y += self.u(hs.sum(0))
        y.clamp_(-1, 1)
        y.mul_(0.9)
        return y


class Before(nn.Module):
    """Operations that cavs does not have, before the recursion (sort, cumsum) and after it."""

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.u = nn.Linear(H, H)
        self.y = nn.Linear(H, 3)

    def forward(self, x: Tensor, hs: Tensor) -> States:
        x = torch.sort(x).values.cumsum(-1).sin()
        h = torch.tanh(self.x(x) + self.u(hs).sum(0))
        return h, self.y(h).cumsum(-1)


class Layers(nn.Module):
    """States of two layers, with dropout between them."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.LSTMCell(D, H)
        self.b = nn.LSTMCell(H, H)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: Tensor, a: States, b: States) -> States:
        first = self.a(x, a)
        second = self.b(self.drop(first[0]), b)
        return (*first, *second)


class Listed(nn.Module):
    """Lists of states, and a loop over the children."""

    def __init__(self) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.randn(D, 3 * H) * 0.3)
        self.U = nn.Parameter(torch.randn(H, 3 * H) * 0.3)
        self.b = nn.Parameter(torch.randn(3 * H) * 0.1)
        self.Wf = nn.Parameter(torch.randn(D, H) * 0.3)
        self.Uf = nn.Parameter(torch.randn(H, H) * 0.3)
        self.bf = nn.Parameter(torch.randn(H) * 0.1)

    def forward(self, x: Tensor, hs: list[Tensor], cs: list[Tensor]) -> States:
        h_sum = torch.stack(hs).sum(0) if hs else torch.zeros_like(self.bf)
        i, o, u = (x @ self.W + h_sum @ self.U + self.b).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u)
        for h_k, c_k in zip(hs, cs):
            c = c + torch.sigmoid(x @ self.Wf + h_k @ self.Uf + self.bf) * c_k
        return torch.sigmoid(o) * torch.tanh(c), c


class Generator(nn.Module):
    """A pair per child, and sum() of a generator."""

    def __init__(self) -> None:
        super().__init__()
        self.iou = nn.Linear(D, 3 * H)
        self.u = nn.Linear(H, 3 * H)
        self.f = nn.Linear(D, H)
        self.g = nn.Linear(H, H)

    def forward(self, x: Tensor, below: Sequence[States]) -> States:
        i, o, u = (self.iou(x) + sum(self.u(h) for h, _ in below)).chunk(3)
        c = i.sigmoid() * u.tanh() + sum(torch.sigmoid(self.f(x) + self.g(h)) * c for h, c in below)
        return o.sigmoid() * c.tanh(), c


class Comprehension(nn.Module):
    """Children of shape [children, 1, h], a list comprehension over a tensor, cat."""

    def __init__(self) -> None:
        super().__init__()
        self.ix = nn.Linear(D, H)
        self.ih = nn.Linear(H, H)
        self.fx = nn.Linear(D, H)
        self.fh = nn.Linear(H, H)

    def forward(self, inputs: Tensor, child_c: Tensor, child_h: Tensor) -> States:
        inputs = inputs.unsqueeze(0)
        child_h = child_h.unsqueeze(1)
        child_c = child_c.unsqueeze(1)
        total = torch.sum(torch.squeeze(child_h, 1), 0)
        i = torch.sigmoid(self.ix(inputs) + self.ih(total))
        fx = torch.unsqueeze(self.fx(inputs), 1)
        fc: Any = 0.0
        if len(child_h):
            f = torch.sigmoid(torch.cat([self.fh(child_hi) + fx for child_hi in child_h], 0))
            fc = torch.squeeze(torch.mul(f, child_c), 1).sum(0)
        c = i + fc
        return c, torch.tanh(c)


class SideBySide(nn.Module):
    """States of both children in one row."""

    def __init__(self) -> None:
        super().__init__()
        self.iou = nn.Linear(2 * H, 3 * H)
        self.f = nn.Linear(2 * H, 2 * H)

    def forward(self, h: Tensor, c: Tensor) -> States:
        row = h.reshape(-1)
        f = torch.sigmoid(self.f(row)).view(*h.shape)
        i, o, u = self.iou(row).chunk(3)
        c = (f * c).sum(0) + i.sigmoid() * u.tanh()
        return o.sigmoid() * torch.tanh(c) + 0 * h[0] + h[1] * 0.1, c


class Norms(nn.Module):
    """std, normalize, logsumexp, RMSNorm, einsum."""

    def __init__(self) -> None:
        super().__init__()
        self.x = nn.Linear(D, H)
        self.r = nn.RMSNorm(H)
        self.W = nn.Parameter(torch.randn(H, H) * 0.3)

    def forward(self, x: Tensor, hs: Tensor) -> Tensor:
        q = self.x(x)
        a = torch.einsum("kd,de->ke", hs, self.W)
        w = torch.softmax(torch.einsum("kd,d->k", a, q), 0)
        y = torch.einsum("k,kd->d", w, hs) + F.normalize(q, dim=0) + torch.logsumexp(q, 0)
        y = y + (q - q.mean()) / (q.std() + 1)
        return torch.tanh(self.r(y) + F.softplus(y) * 0.1 + F.hardtanh(y) + F.mish(y) * 0.1)


class Gates(nn.Module):
    """where, a comparison, clamp, a learned initial state, a constant output."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.GRUCell(D, H)
        self.h0 = nn.Parameter(torch.randn(H) * 0.1)

    def forward(self, x: Tensor, h: Tensor, seen: Tensor) -> States:
        h = torch.where(seen > 0.5, h, self.h0)
        y = self.c(x, h).clamp(-0.5, 0.5)
        return y, torch.ones(1)


class LeafBranch(nn.Module):
    """A branch for leaves inside the cell."""

    def __init__(self) -> None:
        super().__init__()
        self.leaf = nn.Linear(D, H)
        self.a = nn.Linear(D, H)
        self.b = nn.Linear(H, H)
        self.q = nn.Parameter(torch.randn(H) * 0.3)

    def forward(self, x: Tensor, h: Tensor) -> Tensor:
        if len(h) == 0:
            return torch.tanh(self.leaf(x))
        w = torch.softmax(h @ self.q, 0)
        return torch.tanh(self.a(x) + self.b(w @ h) + h.max(0).values)


class Zoneout(nn.Module):
    """Keeps a part of the old state, which a mask of the vertex selects."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(D, H)

    def forward(self, x: Tensor, h: Tensor, mask: Tensor) -> Tensor:
        y: Tensor = mask * h + (1 - mask) * self.cell(x, h)
        return y


class MeanOrMax(nn.Module):
    """mean and max, which have no value without children."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Linear(2 * H, H)

    def forward(self, h: Tensor) -> Tensor:
        return torch.tanh(self.w(torch.cat([h.mean(0), h.amax(0)])))


class LeafOfNumbers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Linear(D, H)

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.w(x))


class Sums(nn.Module):
    """Sums of the children's states, which are one row."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Linear(1, 1)

    def forward(self, h: Tensor, n: Tensor) -> tuple[Tensor, Tensor]:
        return h.sum(0) + 0.1, torch.tanh(self.w(n.sum(0)))
