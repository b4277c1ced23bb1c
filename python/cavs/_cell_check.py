"""Compares a few vertices, whose children have random states, with the cell itself: outputs and all gradients."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy
import torch
import torch.utils._pytree as pytree
from torch import Tensor

from . import _core as cavs
from ._cell_places import running
from ._cell_plan import Plan
from ._cell_specs import Spec, flattened, width_of
from ._cell_symbols import features_of
from ._cell_trace import Trace
from ._core import Error, Graphs

MakePlan = Callable[[Mapping[str, Any]], Plan]
_COUNTS = (0, 1, 2, 5)
_COUNTS_OF_LOOPS = (0, 1, 2, 3, 5, 8, 17, 33)  # an unrolled loop may branch on any number of children


@contextlib.contextmanager
def _dense_gradients(cell: torch.nn.Module) -> Iterator[None]:
    """Without sparse gradients, which PyTorch cannot compute for a table with padding that a single number reads."""
    sparse = [module for module in cell.modules() if isinstance(module, torch.nn.Embedding) and module.sparse]
    for module in sparse:
        module.sparse = False
    try:
        yield
    finally:
        for module in sparse:
            module.sparse = True


class Childless(Error):
    """The cell does something else where there are no children."""


class Vertices:
    """Vertices of the type "cell" with different numbers of children, which are vertices of the type "child"."""

    def __init__(self, trace: Trace) -> None:
        leaves = trace.leaves
        self.slots = max([0, *(leaf.slots for leaf in leaves)])
        self.many = any(leaf.per_child for leaf in leaves)
        counts = (_COUNTS if trace.children is None else _COUNTS_OF_LOOPS) if self.many else (0,)
        self.samples = [list(range(self.slots + count)) for count in counts]
        if self.slots:  # some are absent, then all
            self.samples += [
                [c if c != k else -1 for c in range(self.slots)] for k in range(self.slots if self.slots > 1 else 0)
            ]
            self.samples.append([-1] * self.slots)
        self.begin = numpy.concatenate([[0], numpy.cumsum([1 + self._children(s) for s in self.samples])])
        self.vertices = int(self.begin[-1])
        self.edges = sum(map(len, self.samples))
        degrees = numpy.concatenate([[0] * self._children(s) + [len(s)] for s in self.samples])
        self.offsets = numpy.concatenate([[0], numpy.cumsum(degrees)])

    def _children(self, sample: Sequence[int]) -> int:
        return max([0, *(c + 1 for c in sample)])

    def graphs(self, ports: Mapping[str, Any], edge_ports: Mapping[str, Any]) -> Graphs:
        numbers = numpy.arange(self.vertices)
        types = (numbers == self.begin[1:, None] - 1).any(0).astype(int)
        return Graphs.from_arrays(
            self.begin,
            self.offsets,
            numpy.array(sum(self.samples, []), int),
            types=types,
            type_names=["child", "cell"],
            ports=dict(ports),
            edge_ports=dict(edge_ports),
        )


class Check:
    """plan_of: makes the plan of the cell at vertices of the type "cell", beside functions of other types."""

    def __init__(self, trace: Trace, states: Sequence[str], plan_of: MakePlan, tolerance: float) -> None:
        self.trace = trace
        self.shapes = {state: trace.returns[state] for state in states}
        self.plan_of = plan_of
        self.tolerance = tolerance
        self.random = torch.Generator().manual_seed(1)

    def run(self) -> None:
        try:
            self._compare()
        except Childless:
            self.trace.leaf = self.trace.without_children()
            self._compare()

    def _child(self, plan: Plan, v: cavs.Vertex) -> None:
        for state, shape in self.shapes.items():
            x = v.pull(f"state {state}", width_of(shape))
            features = features_of(shape)
            v.scatter(state, x if len(features) < 2 else cavs.reshape(x, features))

    def _draw(self, vertices: Vertices, plan: Plan) -> None:
        """Random inputs, numbers and states."""
        self.values: dict[str, Tensor] = {}
        for name, leaf in self.trace.own_inputs.items():
            rows = vertices.edges if leaf.of_edges else vertices.vertices
            if leaf.is_index:
                self.values[name] = torch.randint(plan.rows.get(name, 2), (rows,), generator=self.random)
            else:
                self.values[name] = torch.randn(rows, *leaf.shape, generator=self.random)
        for state, shape in self.shapes.items():
            self.values[f"state {state}"] = torch.randn(vertices.vertices, *shape, generator=self.random)
        self.of_edges = {name for name, leaf in self.trace.own_inputs.items() if leaf.of_edges}

    def _compare(self) -> None:
        vertices = Vertices(self.trace)
        plan = self.plan_of({"child": self._child})
        self._draw(vertices, plan)
        given = {}
        ports = {}
        for name, value in self.values.items():
            leaf = self.trace.own_inputs.get(name)
            if name not in self.of_edges and (value.is_floating_point() or (leaf is not None and leaf.given)):
                given[name] = value.requires_grad_() if value.is_floating_point() else value
            else:
                ports[name] = value.numpy()
        edge_ports = {name: ports.pop(name) for name in self.of_edges}
        from .torch import Batch

        found = plan.run(Batch(vertices.graphs(ports, edge_ports)), given, False)
        self._compare_all(vertices, found, {name: x for name, x in given.items() if x.is_floating_point()})

    def _compare_all(self, vertices: Vertices, found: Mapping[str, Tensor], floats: Mapping[str, Tensor]) -> None:
        sums = [torch.zeros(()), torch.zeros(())]  # the gradients of these two are compared
        compared = 0
        differs: Childless | None = None  # raised if vertices with children do not differ
        with running(self.trace.cell, self.trace.method, False) as cell, _dense_gradients(cell):
            for s, sample in enumerate(vertices.samples):
                wanted = self._expected(cell, vertices, s)
                if wanted is None:
                    continue
                compared += 1
                v = int(vertices.begin[s + 1]) - 1
                for name, y in wanted.items():
                    seed = torch.randn(y.shape, generator=self.random)
                    childless = vertices.many and len(sample) == vertices.slots and self.trace.leaf is None
                    where = f"'{name}' of a vertex with {len(sample)} children"
                    try:
                        self._same(where, found[name][v], y, Childless if childless else Error)
                    except Childless as error:
                        differs = error
                    sums = [total + (x * seed).sum() for total, x in zip(sums, (found[name][v], y))]
        if differs is not None:
            raise differs
        if not compared:
            raise Error(f"{self.trace.title} {self.trace.why_fewest} at all vertices of the check")
        self._compare_gradients(sums, floats)

    def _compare_gradients(self, sums: Sequence[Tensor], floats: Mapping[str, Tensor]) -> None:
        by = {name: p for name, p in self.trace.cell.named_parameters() if p.requires_grad} | dict(floats)
        none: Sequence[Any] = [None] * len(by)
        both = [
            torch.autograd.grad(y, list(by.values()), allow_unused=True) if y.requires_grad and by else none
            for y in sums
        ]
        for name, a, b in zip(by, *both):
            self._same(f"the gradient of '{name}'", a, b, Error)

    def _expected(self, cell: torch.nn.Module, vertices: Vertices, s: int) -> dict[str, Tensor] | None:
        """What the cell returns for the vertex of a sample; None where it fails, and so its recursion would."""
        sample = vertices.samples[s]
        names, leaves, structure = flattened(self.trace.specs, len(self._present(sample)))
        arguments = [self._argument(leaf, name, vertices, s) for leaf, name in zip(leaves, names)]
        try:
            outputs = pytree.tree_leaves(cell(**pytree.tree_unflatten(arguments, structure)))
        except Exception as error:
            self._fails(len(sample), f"fails ({(str(error) or type(error).__name__).splitlines()[0]})", error)
            return None
        if not all(bool(torch.isfinite(y).all()) for y in outputs):
            self._fails(len(sample), "returns no finite numbers", None)
            return None
        return {name: y.reshape(shape) for (name, shape), y in zip(self.trace.returns.items(), outputs)}

    def _fails(self, children: int, why: str, error: Exception | None) -> None:
        """Vertices with few children may be ones that the cell is never called with."""
        if children != self.trace.fewest and children + 1 != self.trace.fewest and self.trace.fewest <= children:
            raise Error(f"{self.trace.title} {why} at a vertex with {children} children") from error
        self.trace.fewest = max(self.trace.fewest, children + 1)
        self.trace.why_fewest = why

    def _present(self, sample: Sequence[int]) -> list[int]:
        """The slots of the children that have a row."""
        return [k for k in range(self.trace.first, len(sample)) if sample[k] >= 0]

    def _argument(self, leaf: Spec, name: str, vertices: Vertices, s: int) -> Tensor:
        v = int(vertices.begin[s + 1]) - 1
        sample = vertices.samples[s]
        slots = self._present(sample) if leaf.per_child else leaf.slot
        if leaf.item >= 0:
            slots = self._present(sample)[leaf.item]
        if leaf.of_edges:
            return self.values[name][int(vertices.offsets[v]) + torch.tensor(slots, dtype=torch.long)]
        if not leaf.state:
            return self.values[name][v]
        if isinstance(slots, int):
            return self._state(leaf, vertices, s, sample[slots])
        rows = [self._state(leaf, vertices, s, sample[slot]) for slot in slots]
        return torch.stack([torch.zeros(self.shapes[leaf.state]), *rows])[1:]

    def _state(self, leaf: Spec, vertices: Vertices, s: int, child: int) -> Tensor:
        if child < 0:
            return torch.zeros(self.shapes[leaf.state])
        return self.values[f"state {leaf.state}"][vertices.begin[s] + child]

    def _same(self, what: str, found: Tensor | None, wanted: Tensor | None, error: type[Error]) -> None:
        a = torch.zeros(()) if found is None else found.detach().to_dense()
        b = torch.zeros(()) if wanted is None else wanted.detach().to_dense()
        difference = (a - b).abs()
        if not bool((difference <= self.tolerance * max(1.0, float(b.abs().max()))).all()):
            largest = float(difference.max())
            by = "numbers that are not finite" if math.isnan(largest) else f"{largest:.3g}"
            raise error(
                f"{self.trace.title} and its translation differ in {what} by {by}\n  to do: does it look at the number "
                "of its children, at numbers, or at anything else that is not an argument? If not, this is a mistake "
                "of cavs"
            )
