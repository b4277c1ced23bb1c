"""Checks a translated cell: compares outputs and all gradients with the cell itself, at vertices with random input."""

from __future__ import annotations

import contextlib
import copy
import functools
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
Rows = Mapping[int, Mapping[str, Tensor]]  # sample -> name of an output -> its value at the vertex of the sample
Seeds = Rows
Gradients = dict[str, Tensor | None]
# The error of tanh, sigmoid and the like is up to 5e-7 in cavs (src/backend/cpu/vec_math.h) and 1.2e-7 in PyTorch.
ROUNDING = 4
_COUNTS = (0, 1, 2, 5)
_COUNTS_OF_LOOPS = (0, 1, 2, 3, 5, 8, 17, 33)  # an unrolled loop may branch on any number of children


@contextlib.contextmanager
def _dense_gradients(cell: torch.nn.Module) -> Iterator[None]:
    """Turns off sparse gradients: PyTorch cannot compute them for a table with padding that one integer reads."""
    sparse = [module for module in cell.modules() if isinstance(module, torch.nn.Embedding) and module.sparse]
    for module in sparse:
        module.sparse = False
    try:
        yield
    finally:
        for module in sparse:
            module.sparse = True


class Childless(Error):
    """Raised if the cell and its translation differ only at vertices without children."""


class Vertices:
    """Vertices of the type "cell" with different numbers of children, which are vertices of the type "child"."""

    def __init__(self, trace: Trace) -> None:
        leaves = trace.leaves
        self.slots = max([0, *(leaf.slots for leaf in leaves)])
        self.many = any(leaf.per_child for leaf in leaves)
        counts = (_COUNTS if trace.children is None else _COUNTS_OF_LOOPS) if self.many else (0,)
        self.samples = [list(range(self.slots + count)) for count in counts]
        if self.slots:  # samples with one absent child, and with all absent
            self.samples += [
                [c if c != k else -1 for c in range(self.slots)] for k in range(self.slots if self.slots > 1 else 0)
            ]
            self.samples.append([-1] * self.slots)
        self.begin = numpy.concatenate([[0], numpy.cumsum([1 + self._children(s) for s in self.samples])])
        self.vertices = int(self.begin[-1])
        self.edges = sum(map(len, self.samples))
        degrees = numpy.concatenate([[0] * self._children(s) + [len(s)] for s in self.samples])
        self.offsets = numpy.concatenate([[0], numpy.cumsum(degrees)])

    def cell_of(self, sample: int) -> int:
        """Returns the number of the vertex of the type "cell", which is the last vertex of the sample."""
        return int(self.begin[sample + 1]) - 1

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


def gradients_of(rows: Rows, seeds: Seeds, leaves: Mapping[str, Tensor]) -> Gradients:
    """Returns the gradients of the sum of all rows, where each row is multiplied by its seed."""
    total = torch.stack([(y * seeds[s][name]).sum() for s, of in rows.items() for name, y in of.items()]).sum()
    if not (leaves and total.requires_grad):
        return dict.fromkeys(leaves)
    return dict(zip(leaves, torch.autograd.grad(total, list(leaves.values()), allow_unused=True)))


class Wanted:
    """Outputs and gradients of the cell itself, in the precision of its parameters."""

    def __init__(self, trace: Trace, vertices: Vertices, cell: torch.nn.Module, values: Mapping[str, Tensor]) -> None:
        self.trace = trace
        self.vertices = vertices
        self.cell = cell
        self.values = values
        self.outputs: dict[int, dict[str, Tensor]] = {}  # sample -> name -> output
        self.gradients: Gradients = {}

    def run(self) -> None:
        """Runs the cell. Samples at which it fails are excluded, since the user's recursion would fail there, too."""
        with running(self.cell, self.trace.method, False) as cell, _dense_gradients(cell):
            for s, sample in enumerate(self.vertices.samples):
                arguments = self._arguments(s)
                try:
                    outputs = pytree.tree_leaves(cell(**arguments))
                except Exception as error:
                    self._fails(len(sample), f"fails ({(str(error) or type(error).__name__).splitlines()[0]})", error)
                    continue
                if all(bool(torch.isfinite(y).all()) for y in outputs):
                    self.outputs[s] = self._named(outputs)
                else:
                    self._fails(len(sample), "returns numbers that are not finite", None)

    def in_double(self, floats: Sequence[str]) -> Wanted:
        """Runs a copy of the cell in double precision. Raises the cell's exceptions if it does not accept doubles."""
        values = {name: x.detach().double() if x.is_floating_point() else x for name, x in self.values.items()}
        for name in floats:
            values[name].requires_grad_()
        twin = Wanted(self.trace, self.vertices, copy.deepcopy(self.cell).double(), values)
        default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            with running(twin.cell, self.trace.method, False) as cell, _dense_gradients(cell):
                twin.outputs = {s: self._named(pytree.tree_leaves(cell(**twin._arguments(s)))) for s in self.outputs}
        finally:
            torch.set_default_dtype(default)
        return twin

    def leaves(self, floats: Sequence[str]) -> dict[str, Tensor]:
        """Returns the tensors whose gradients are compared: parameters, and the values with these names."""
        parameters = {name: p for name, p in self.cell.named_parameters() if p.requires_grad}
        return parameters | {name: self.values[name] for name in floats}

    def differentiate(self, seeds: Seeds, floats: Sequence[str]) -> None:
        self.gradients = gradients_of(self.outputs, seeds, self.leaves(floats))

    def _named(self, outputs: Sequence[Tensor]) -> dict[str, Tensor]:
        return {name: y.reshape(shape) for (name, shape), y in zip(self.trace.returns.items(), outputs)}

    def _fails(self, children: int, why: str, error: Exception | None) -> None:
        """Notes the smallest number of children that the cell accepts; raises Error if it fails with more."""
        if children != self.trace.fewest and children + 1 != self.trace.fewest and self.trace.fewest <= children:
            raise Error(f"{self.trace.title} {why} at a vertex with {children} children") from error
        self.trace.fewest = max(self.trace.fewest, children + 1)
        self.trace.why_fewest = why

    def _present(self, sample: Sequence[int]) -> list[int]:
        """Returns the slots whose child is present."""
        return [k for k in range(self.trace.first, len(sample)) if sample[k] >= 0]

    def _arguments(self, s: int) -> dict[str, Any]:
        names, leaves, structure = flattened(self.trace.specs, len(self._present(self.vertices.samples[s])))
        arguments = [self._argument(leaf, name, s) for leaf, name in zip(leaves, names)]
        return dict(pytree.tree_unflatten(arguments, structure))

    def _argument(self, leaf: Spec, name: str, s: int) -> Tensor:
        v = self.vertices.cell_of(s)
        sample = self.vertices.samples[s]
        slots = self._present(sample) if leaf.per_child else leaf.slot
        if leaf.item >= 0:
            slots = self._present(sample)[leaf.item]
        if leaf.of_edges:
            return self.values[name][int(self.vertices.offsets[v]) + torch.tensor(slots, dtype=torch.long)]
        if not leaf.state:
            return self.values[name][v]
        states = self.values[f"state {leaf.state}"]
        if isinstance(slots, int):
            return self._state(states, s, sample[slots])
        rows = [self._state(states, s, sample[slot]) for slot in slots]
        return torch.stack([torch.zeros_like(states[0]), *rows])[1:]

    def _state(self, states: Tensor, s: int, child: int) -> Tensor:
        return states[self.vertices.begin[s] + child] if child >= 0 else torch.zeros_like(states[0])


class Check:
    """Runs the check.

    plan_of: makes a plan with the cell at vertices of the type "cell", and with given functions of other types.
    """

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

    def _draw(self, vertices: Vertices, plan: Plan) -> dict[str, Tensor]:
        """Returns random inputs, integers and states for the vertices."""
        values: dict[str, Tensor] = {}
        for name, leaf in self.trace.own_inputs.items():
            rows = vertices.edges if leaf.of_edges else vertices.vertices
            if leaf.is_index:
                values[name] = torch.randint(plan.rows.get(name, 2), (rows,), generator=self.random)
            else:
                values[name] = torch.randn(rows, *leaf.shape, generator=self.random)
        for state, shape in self.shapes.items():
            values[f"state {state}"] = torch.randn(vertices.vertices, *shape, generator=self.random)
        return values

    def _compare(self) -> None:
        vertices = Vertices(self.trace)
        plan = self.plan_of({"child": self._child})
        values = self._draw(vertices, plan)
        of_edges = {name for name, leaf in self.trace.own_inputs.items() if leaf.of_edges}
        given = {}
        ports = {}
        for name, value in values.items():
            leaf = self.trace.own_inputs.get(name)
            if name not in of_edges and (value.is_floating_point() or (leaf is not None and leaf.given)):
                given[name] = value.requires_grad_() if value.is_floating_point() else value
            else:
                ports[name] = value.numpy()
        edge_ports = {name: ports.pop(name) for name in of_edges}
        from .torch import Batch

        found = plan.run(Batch(vertices.graphs(ports, edge_ports)), given, False)
        wanted = Wanted(self.trace, vertices, self.trace.cell, values)
        wanted.run()
        if not wanted.outputs:
            raise Error(f"{self.trace.title} {self.trace.why_fewest} at all vertices of the check")
        rows = {s: {name: found[name][vertices.cell_of(s)] for name in of} for s, of in wanted.outputs.items()}
        seeds = {
            s: {name: torch.randn(y.shape, generator=self.random) for name, y in of.items()}
            for s, of in wanted.outputs.items()
        }
        floats = [name for name, x in given.items() if x.is_floating_point()]
        comparison = Comparison(self.trace.title, wanted, seeds, floats, self.tolerance)
        comparison.outputs(rows)
        comparison.gradients(gradients_of(rows, seeds, wanted.leaves(floats)))


class Comparison:
    """Compares with the cell, and where the difference may be rounding, with the cell in double precision."""

    def __init__(self, title: str, wanted: Wanted, seeds: Seeds, floats: Sequence[str], tolerance: float) -> None:
        self.title = title
        self.wanted = wanted
        self.seeds = seeds
        self.floats = floats
        self.tolerance = tolerance
        wanted.differentiate(seeds, floats)

    def outputs(self, found: Rows) -> None:
        trace, vertices = self.wanted.trace, self.wanted.vertices
        differs: Childless | None = None  # an error at a vertex without children, raised if there is no other
        for s, of in found.items():
            children = len(vertices.samples[s])
            childless = vertices.many and children == vertices.slots and trace.leaf is None
            for name, y in of.items():
                where = f"'{name}' of a vertex with {children} children"
                try:
                    self._same(where, y, lambda by: by.outputs[s][name], Childless if childless else Error)
                except Childless as error:
                    differs = error
        if differs is not None:
            raise differs

    def gradients(self, found: Gradients) -> None:
        for name, gradient in found.items():
            self._same(f"the gradient of '{name}'", gradient, lambda by: by.gradients[name], Error)

    def _same(
        self, what: str, found: Tensor | None, pick: Callable[[Wanted], Tensor | None], error: type[Error]
    ) -> None:
        difference, allowed = self._difference(found, pick(self.wanted))
        if difference <= allowed:
            return
        if difference <= 100 * allowed and self.in_double is not None:
            exact = pick(self.in_double)
            rounding, _ = self._difference(pick(self.wanted), exact)
            from_exact, allowed = self._difference(found, exact)
            if from_exact <= max(allowed, ROUNDING * rounding):
                return
        by = "numbers that are not finite" if math.isnan(difference) else f"{difference:.3g}"
        raise error(
            f"{self.title} and its translation differ in {what} by {by}\n  to do: check whether the cell "
            "depends on the number of its children, on values of tensors, or on anything that is not an argument; if "
            "not, this is a bug in cavs"
        )

    def _difference(self, found: Tensor | None, wanted: Tensor | None) -> tuple[float, float]:
        """Returns the largest difference, and the allowed difference."""
        a = torch.zeros(()) if found is None else found.detach().to_dense()
        b = torch.zeros(()) if wanted is None else wanted.detach().to_dense()
        return float((a - b).abs().max()), self.tolerance * max(1.0, float(b.abs().max()))

    @functools.cached_property
    def in_double(self) -> Wanted | None:
        """Returns results in double precision; None if the cell cannot be copied or accepts only float32."""
        with contextlib.suppress(Exception):
            twin = self.wanted.in_double(self.floats)
            twin.differentiate(self.seeds, self.floats)
            return twin
        return None
