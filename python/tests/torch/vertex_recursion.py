"""The recursion that cavs.torch.batched replaces, which runs the cell at one vertex after another; random graphs."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
import torch.utils._pytree as pytree
from torch import Tensor, nn

import cavs
import cavs.torch

Arguments = Mapping[str, Any]
Cells = Mapping[str, tuple[nn.Module, Arguments]]
Returns = Mapping[str, Any]


def shape(of: Any) -> tuple[int, ...]:
    return (of,) if isinstance(of, int) else tuple(of)


class Recursion:
    """Evaluates the cell of each vertex type; "" is the cell of all types."""

    def __init__(
        self, cells: Cells, returns: Returns, graphs: cavs.Graphs, given: Mapping[str, Tensor], method: str = "forward"
    ) -> None:
        self.cells = cells
        self.returns = {name: shape(of) for name, of in returns.items()}
        self.graphs = graphs
        self.given = given
        self.method = method
        self.begin = graphs.sample_begin.tolist()
        self.offsets = graphs.child_offsets.tolist()
        self.children = graphs.children.tolist()
        self.types = graphs.types.tolist()

    def run(self) -> dict[str, Tensor]:
        """The outputs at all vertices; children come before their parents."""
        self.states: list[dict[str, Tensor]] = []
        for first, last in zip(self.begin, self.begin[1:]):
            for v in range(first, last):
                self.states.append(self._vertex(v, first))
        return {name: torch.stack([state[name] for state in self.states]) for name in self.returns}

    def _vertex(self, v: int, first: int) -> dict[str, Tensor]:
        kind = "" if "" in self.cells else self.graphs.type_names[self.types[v]]
        cell, arguments = self.cells[kind]
        below = self.children[self.offsets[v] : self.offsets[v + 1]]
        self.v = v
        self.below = [first + c if c >= 0 else -1 for c in below]
        names = set(cell_arguments(cell, self.method)) & set(self.returns)
        specs = {**{name: cavs.torch.Children() for name in names}, **arguments}
        found = getattr(cell, self.method)(**{name: self._argument(spec, name, name) for name, spec in specs.items()})
        return {name: y.reshape(of) for (name, of), y in zip(self.returns.items(), pytree.tree_leaves(found))}

    def _argument(self, spec: Any, argument: str, name: str) -> Any:
        if isinstance(spec, list) and len(spec) == 1:
            return [self._entry(spec[0], argument, name, k) for k in range(len(self.below))]
        if isinstance(spec, dict):
            return {key: self._argument(part, argument, f"{name}['{key}']") for key, part in spec.items()}
        if isinstance(spec, (list, tuple)):
            return type(spec)(self._argument(part, argument, f"{name}[{i}]") for i, part in enumerate(spec))
        spec = cavs.torch.Input(spec) if isinstance(spec, int) else spec
        return self._tensor(spec, spec.state or argument, name)

    def _entry(self, spec: Any, argument: str, name: str, k: int) -> Any:
        if isinstance(spec, (list, tuple)):
            return type(spec)(self._entry(part, argument, f"{name}[{i}]", k) for i, part in enumerate(spec))
        return self._tensor(spec, spec.state or argument, name)[k]

    def _tensor(self, spec: Any, state: str, name: str) -> Tensor:
        if spec.kind in ("edges", "edge_index"):
            edges = torch.from_numpy(self.graphs[name])[self.offsets[self.v] : self.offsets[self.v + 1]]
            return edges.long() if spec.kind == "edge_index" else edges.to(torch.get_default_dtype())
        if spec.kind in ("input", "index"):
            row = self.given[name][self.v] if name in self.given else torch.from_numpy(self.graphs[name])[self.v]
            return row.long() if spec.kind == "index" else row.reshape(spec.shape).to(torch.get_default_dtype())
        if isinstance(spec.slot, tuple):
            return torch.stack([self._state(state, k) for k in spec.slot])
        if spec.kind == "child":
            return self._state(state, spec.slot)
        rows = [self.states[c][state] for c in self.below[spec.slot :] if c >= 0]
        return torch.stack(rows) if rows else torch.zeros(0, *self.returns[state])

    def _state(self, state: str, k: int) -> Tensor:
        child = self.below[k] if k < len(self.below) else -1
        return self.states[child][state] if child >= 0 else torch.zeros(self.returns[state])


def cell_arguments(cell: nn.Module, method: str) -> Sequence[str]:
    import inspect

    return list(inspect.signature(getattr(cell, method)).parameters)


def random_graphs(
    kind: str,
    seed: int,
    samples: int = 4,
    size: int = 9,
    fewest: int = 0,
    most: int = 4,
    ports: Mapping[str, Any] | None = None,
    edge_ports: Mapping[str, int] | None = None,
    types: bool = False,
) -> cavs.Graphs:
    """Trees, chains, or acyclic graphs with shared children ("dags").

    ports: name -> n, an index port with numbers below n, or a tuple, the shape of a float port. edge_ports: for edges.
    types: True if vertices without children have the type of leaves. most: largest number of children; with most=2,
    "binary" has two or none.
    """
    rng = np.random.default_rng(seed)
    begin = [0]
    below: list[list[int]] = []
    for _ in range(samples):
        graph = _children(kind, rng, int(rng.integers(2, size + 1)), most)
        below += graph
        begin.append(begin[-1] + len(graph))
    offsets = np.cumsum([0, *map(len, below)])
    children = np.array([c for row in below for c in row], int)
    vertices, edges = len(below), len(children)
    typed: dict[str, Any] = {"types": np.array([int(bool(row)) for row in below]), "type_names": ["leaf", "inner"]} if types else {}
    return cavs.Graphs.from_arrays(
        np.array(begin),
        offsets,
        children,
        ports={n: _numbers(rng, of, vertices) for n, of in (ports or {}).items()},
        edge_ports={n: _numbers(rng, of, edges) for n, of in (edge_ports or {}).items()},
        **typed,
    )


def _numbers(rng: np.random.Generator, of: Any, rows: int) -> Any:
    if isinstance(of, int):
        return rng.integers(0, of, rows)
    return rng.standard_normal((rows, *of)).astype(np.float32)


def _children(kind: str, rng: np.random.Generator, size: int, most: int) -> list[list[int]]:
    if kind == "chains":
        return [[] if v == 0 else [v - 1] for v in range(size)]
    if kind == "binary":
        below: list[list[int]] = [[] for _ in range(size)]
        for v in range(size, 2 * size - 1):
            below.append([2 * (v - size), 2 * (v - size) + 1])
        return below
    if kind == "dags":
        return [
            sorted(rng.choice(v, min(v, int(rng.integers(0, most + 1))), replace=False).tolist()) for v in range(size)
        ]
    rows: list[list[int]] = [[] for _ in range(size)]
    for v in range(size - 1):
        parents = [p for p in range(v + 1, size) if len(rows[p]) < most]
        if parents:
            rows[int(rng.choice(parents))].append(v)
    return rows


def largest_differences(
    net: cavs.torch.Batched,
    arguments: Mapping[str, Arguments],
    returns: Returns,
    graphs: cavs.Graphs,
    given: Mapping[str, Tensor],
    method: str = "forward",
    recursive: bool = False,
) -> dict[str, float]:
    """Largest differences of outputs and gradients from the recursion in float64, relative to the largest number.

    Gradients are compared with at least 1 % of the largest gradient. arguments: arguments of the cell of each type.
    recursive: True measures the recursion in float32 in place of the net.
    """
    floats = {name: x.detach().requires_grad_() for name, x in given.items() if x.is_floating_point()}
    own = {kind: (net._cells[kind], specs) for kind, specs in arguments.items()}
    tensors = {**given, **floats}
    found = Recursion(own, returns, graphs, tensors, method).run() if recursive else net(graphs, **tensors)
    twin = copy.deepcopy(net).double()
    doubles = {name: x.detach().double().requires_grad_() for name, x in floats.items()}
    cells = {kind: (twin._cells[kind], specs) for kind, specs in arguments.items()}
    torch.set_default_dtype(torch.float64)
    try:
        wanted = Recursion(cells, returns, graphs, {**given, **doubles}, method).run()
    finally:
        torch.set_default_dtype(torch.float32)
    differences = {name: relative(found[name], wanted[name]) for name in wanted}
    random = torch.Generator().manual_seed(1)
    weights = {name: torch.randn(y.shape, generator=random, dtype=torch.float32) for name, y in wanted.items()}
    both = []
    for values, module, inputs in ((found, net, floats), (wanted, twin, doubles)):
        by = {name: p for name, p in module.named_parameters() if p.requires_grad} | inputs
        total = torch.stack([(values[name] * weights[name]).sum() for name in weights]).sum()
        both.append(torch.autograd.grad(total, list(by.values()), allow_unused=True))
    largest = max([float(g.abs().max()) for g in both[1] if g is not None and g.numel()], default=1.0)
    for name, a, b in zip(by, *both):
        a = torch.zeros(()) if a is None else a.to_dense()
        b = torch.zeros(()) if b is None else b.to_dense()
        differences[f"gradient of {name}"] = relative(a, b, 0.01 * largest)
    return differences


def relative(a: Tensor, b: Tensor, least: float = 1e-30) -> float:
    a, b = a.detach(), b.detach()
    return float((a - b).abs().max()) / max(least, float(b.abs().max()))
