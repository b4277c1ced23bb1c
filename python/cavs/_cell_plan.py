"""A cell for graphs whose vertices have some types: the model of cavs, and what PyTorch computes around it."""

from __future__ import annotations

import copy
import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from . import _core as cavs
from ._cell_specs import Shape, width_of
from ._cell_trace import Trace, place_of
from ._core import Error, Graphs, Model
from ._torch_ops import DROPOUT, Engine, evaluate, gradient_mode

if TYPE_CHECKING:
    from .torch import Batch

Made = Callable[[Tensor], Tensor]
Declare = Callable[["Plan", cavs.Vertex], None]


@dataclasses.dataclass(frozen=True)
class Source:
    """Where the tensor of a cavs parameter comes from: a node of a trace, and what is made of it; or a constant."""

    trace: Trace | None = None
    node: Node | None = None
    made: Made | None = None
    constant: Tensor | None = None


@dataclasses.dataclass
class Surrounding:
    """What PyTorch computes for one trace, for all vertices at once.

    computed: nodes of parameters alone. before: nodes that become float ports. after: nodes that become outputs.
    pushed: nodes that cavs pushes for them. mask: the push that is 1 at the vertices of this cell; empty: all are.
    """

    trace: Trace
    computed: list[Node]
    before: dict[str, Node]
    after: dict[str, Node]
    pushed: dict[str, Node]
    mask: str


class Plan:
    """functions: what declares each type of vertices. The translator adds what it needs to this object."""

    def __init__(
        self,
        traces: Sequence[Trace],
        returns: Mapping[str, Shape],
        states: Sequence[str],
        options: Mapping[str, Any],
        functions: Mapping[str, Declare],
    ) -> None:
        self.returns = returns
        self.states = states
        self.traces = [part for trace in traces for part in (trace, trace.leaf) if part is not None]
        self.several = len(functions) > 1
        self.model = Model(seed=1)
        self.tied: dict[Any, str] = {}
        self.rows: dict[str, int] = {}  # of the smallest table that an index port reads
        self.in_cavs: set[str] = set()  # outputs that cavs computes, at some vertices
        self.pushes: dict[tuple[Trace, Node], str] = {}
        self._sources: dict[str, Source] = {}
        self._befores: dict[str, tuple[Trace, Node]] = {}
        self._afters: dict[tuple[Trace, str], Node] = {}
        self._masks: dict[Trace, str] = {}
        self._dropouts: list[tuple[torch.nn.Module, float]] = []
        self._parts: dict[Any, GraphModule] = {}
        for name, function in functions.items():
            self.model.vertex_function(name)(functools.partial(function, self))
        self._start(options)

    # Called by the translator.

    def source(self, name: str, trace: Trace, node: Node, made: Made | None) -> None:
        """Says that the parameter `name` is this node, or what `made` makes of it."""
        self._sources[name] = Source(trace, node, made)

    def constant(self, name: str, tensor: Tensor) -> None:
        """Says that the parameter `name` is this tensor."""
        self._sources[name] = Source(constant=tensor)

    def before(self, port: str, trace: Trace, node: Node) -> None:
        """Says that PyTorch computes this node for all vertices, as a float port."""
        self._befores[port] = trace, node

    def after(self, name: str, trace: Trace, node: Node, v: cavs.Vertex, tag: str) -> None:
        """Says that PyTorch computes an output after the recursion."""
        self._afters[trace, name] = node
        if self.several and trace not in self._masks:
            self._masks[trace] = f"{tag}%mask"
            v.push(self._masks[trace], v.constant(1.0))

    def dropout(self, trace: Trace, node: Node, p: float) -> None:
        """Notes which module a dropout with probability p belongs to."""
        paths = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
        self._dropouts.append((trace.cell.get_submodule(paths[-1] if paths else ""), p))

    # Evaluation.

    def _start(self, options: Mapping[str, Any]) -> None:
        outputs = [name for name in self.returns if name in self.in_cavs]
        outputs += [*self.pushes.values(), *self._masks.values()]
        self.engine = Engine(self.model, outputs, dict(options))
        self.inputs = [name for name, _ in self.engine.inputs]
        self.outputs = [name for name, _ in self.engine.outputs]
        self.names = self.engine.names
        self.number = self.engine.number
        self.has_dropout = self.engine.has_dropout
        self.operator = self.engine.operators[0]
        self.wanted = [self._sources[name] for name in self.names]
        self.around = [self._surrounding(trace) for trace in self.traces]
        starts = [(name, trace, node) for trace in self.traces for node, (name, _) in trace.inputs.items()]
        starts += [(port, trace, node) for port, (trace, node) in self._befores.items()]
        reached = {name for name, trace, node in starts if trace.reached(node)}
        self.without_gradient = {name for name, _, _ in starts} - reached

    def _surrounding(self, trace: Trace) -> Surrounding:
        nodes = [s.node for s in self.wanted if s.trace is trace and s.node is not None and s.node not in trace.fixed]
        return Surrounding(
            trace,
            list(dict.fromkeys(nodes)),
            {port: node for port, (of, node) in self._befores.items() if of is trace and port in self.inputs},
            {name: node for (of, name), node in self._afters.items() if of is trace},
            {port: node for (of, node), port in self.pushes.items() if of is trace},
            self._masks.get(trace, ""),
        )

    def _part(self, trace: Trace, wanted: Sequence[Node], inputs: Sequence[Node], training: bool) -> GraphModule:
        key = (id(trace), tuple(node.name for node in wanted), tuple(node.name for node in inputs), training)
        if key not in self._parts:
            self._parts[key] = trace.part(wanted, inputs, training)
        return self._parts[key]

    def tensors(self) -> list[Tensor]:
        """The parameters of cavs: those of the cell where they are, others computed of them."""
        made: dict[Node, Tensor] = {}
        for around in self.around:
            if around.computed:
                fixed = list(around.trace.fixed)
                part = self._part(around.trace, around.computed, fixed, True)
                made.update(zip(around.computed, part(*[around.trace.fetch(node) for node in fixed])))
        return [self._tensor(source, made).contiguous() for source in self.wanted]

    def _tensor(self, source: Source, made: Mapping[Node, Tensor]) -> Tensor:
        if source.constant is not None:
            return source.constant
        assert source.trace is not None and source.node is not None
        tensor = made[source.node] if source.node in made else source.trace.fetch(source.node)
        return tensor if source.made is None else source.made(tensor)

    def _in_torch(
        self, trace: Trace, wanted: Sequence[Node], ends: Mapping[Node, Tensor], training: bool
    ) -> Sequence[Tensor]:
        """The rows of the nodes `wanted`, which PyTorch computes for all vertices of rows of the nodes `ends`."""
        fixed = list(trace.fixed)
        part = self._part(trace, wanted, [*ends, *fixed], training)
        rows = [tensor.reshape(len(tensor), *node.meta["val"].shape) for node, tensor in ends.items()]
        run = torch.vmap(part, in_dims=(0,) * len(ends) + (None,) * len(fixed), randomness="different")
        found: Sequence[Tensor] = run(*rows, *[trace.fetch(node) for node in fixed])
        return found

    def run(self, batch: Batch, given: Mapping[str, Tensor], training: bool) -> dict[str, Tensor]:
        """The outputs of a batch, [vertices, *shape] each. given: floats and integers of the call, by name."""
        count = len(batch.rows)
        ports = {name: _flat(tensor, count) for name, tensor in given.items()}
        ends = {
            id(trace): {node: ports[name] for node, (name, _) in trace.inputs.items() if name in ports}
            for trace in self.traces
        }
        for around in self.around:
            if around.before:
                nodes = list(around.before.values())
                rows = self._in_torch(around.trace, nodes, ends[id(around.trace)], training)
                for port, row in zip(around.before, rows):
                    ports[port] = _flat(row, count)
        found = self._evaluate(batch, [self._input(name, ports.get(name)) for name in self.inputs], training)
        for around in self.around:
            if around.after:
                inputs = {**ends[id(around.trace)], **{node: found[port] for port, node in around.pushed.items()}}
                rows = self._in_torch(around.trace, list(around.after.values()), inputs, training)
                for name, row in zip(around.after, rows):
                    self._put(found, name, row.reshape(count, -1), found.get(around.mask))
        return {name: found[name].reshape(count, *shape) for name, shape in self.returns.items()}

    def _input(self, name: str, tensor: Tensor | None) -> Tensor | None:
        """An input as cavs takes it: without gradient where there is none, since it has none to give."""
        return tensor.detach() if tensor is not None and name in self.without_gradient else tensor

    def _put(self, found: dict[str, Tensor], name: str, row: Tensor, mask: Tensor | None) -> None:
        """Puts rows of an output at the vertices of their type."""
        if mask is not None:
            row = torch.where(mask > 0, row, 0.0)
        found[name] = found[name] + row if name in found else row

    def _evaluate(self, batch: Batch, inputs: list[Tensor | None], training: bool) -> dict[str, Tensor]:
        """The recursion, in cavs."""
        tensors = self.tensors()
        mode = gradient_mode(inputs, tensors)
        seed = None
        if training and self.has_dropout:
            self._check_dropout()
            mode |= DROPOUT
            seed = torch.randint(0, 2**31 - 1, (1,))
        if torch.compiler.is_compiling():
            values = self.operator(self.number, mode, batch._tensor, batch.sample, seed, *inputs, *tensors)
        else:
            values = evaluate(self.engine, mode, batch._handle, batch.sample, seed, [*inputs, *tensors])
        return dict(zip(self.outputs, values))

    def _check_dropout(self) -> None:
        """Dropout is switched for the whole module, and has the probability that it had when it was traced."""
        for module, p in self._dropouts:
            now = module.p if isinstance(module, torch.nn.modules.dropout._DropoutNd) else p
            if not module.training or now != p:
                raise Error(
                    f"{module} had p={p} and the mode of the whole module when that was made; now it is in "
                    f"{'training' if module.training else 'eval'} mode\n  to do: call train() or eval() of the "
                    "module of cavs.torch.batched, not of its parts; for another p, make it anew"
                )

    def refuse_save(self) -> None:
        """Raises an error if PyTorch computes a part."""
        nodes = [node for around in self.around for node in (*around.before.values(), *around.after.values())]
        for node in nodes:
            raise Error(
                f"{node.target} is computed by PyTorch, so cavs alone cannot evaluate this cell{place_of(node)}\n"
                "  to do: move it out of the cell, or save the state_dict"
            )

    def saved_model(self, types: Sequence[str]) -> Model:
        """The model, which also gives the states as predictions."""
        model = copy.copy(self.model)

        def push(v: cavs.Vertex) -> None:
            for state in sorted(self.states):
                value = v.scattered(state)
                shape = self.returns[state]
                v.push(state, value if len(shape) == 1 else cavs.reshape(value, (width_of(shape),)))

        for name in types:
            model.extend(name, push)
        return model


def _flat(tensor: Tensor, count: int) -> Tensor:
    return tensor.reshape(count, -1) if tensor.is_floating_point() else tensor


def fewest_children(graphs: Graphs) -> dict[str, int]:
    """The smallest number of children of the vertices of each type."""
    degrees = numpy.diff(graphs.child_offsets)
    types = graphs.types
    return {name: int(degrees[types == i].min(initial=1 << 30)) for i, name in enumerate(graphs.type_names)}
