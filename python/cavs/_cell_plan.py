"""A plan evaluates a cell for graphs with given vertex types: a cavs model, and the parts that PyTorch computes."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy
import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from . import _core as cavs
from ._cell_places import place_of
from ._cell_specs import Shape, width_of
from ._cell_trace import Place, Trace
from ._core import Error, Graphs, Model
from ._torch_ops import DROPOUT, Engine, Table, evaluate, gradient_mode, uncast

if TYPE_CHECKING:
    from .torch import Batch

Made = Callable[[Tensor], Tensor]
Declare = Callable[["Plan", cavs.Vertex], None]


@dataclasses.dataclass(frozen=True)
class Source:
    """The source of a cavs parameter: a node of a trace and an optional function of it, or a constant tensor."""

    trace: Trace | None = None
    node: Node | None = None
    made: Made | None = None
    constant: Tensor | None = None


@dataclasses.dataclass
class Surrounding:
    """The part of one trace that PyTorch computes, for all vertices at once.

    computed: nodes that depend only on parameters. before: nodes that become float ports. after: nodes that become
    outputs. pushed: nodes that cavs pushes for `after`. mask: the push that is 1 at the vertices of this cell; empty if
    all vertices are the cell's. inputs: names and nodes of the cell's inputs. fixed: the places of the cell's tensors.
    """

    trace: Trace
    computed: list[Node]
    before: dict[str, Node]
    after: dict[str, Node]
    pushed: dict[str, Node]
    mask: str
    inputs: list[tuple[str, Node]]
    fixed: list[Place]


class Plan:
    """A cavs model and the surrounding PyTorch code. The translator registers parameters, inputs and outputs here.

    functions: type of vertices -> function that declares it.
    """

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
        self.rows: dict[str, int] = {}  # index port -> number of rows of the smallest table that it indexes
        self.in_cavs: set[str] = set()  # names of outputs that cavs computes at vertices of some type
        self.pushes: dict[tuple[Trace, Node], str] = {}
        self._sources: dict[str, Source] = {}
        self._tables: dict[str, Table] = {}
        self._befores: dict[str, tuple[Trace, Node]] = {}
        self._afters: dict[tuple[Trace, str], Node] = {}
        self._masks: dict[Trace, str] = {}
        self._dropouts: list[tuple[torch.nn.Module, float]] = []
        self._parts: dict[tuple[Any, ...], tuple[GraphModule, list[Shape]]] = {}
        for name, function in functions.items():
            self.model.vertex_function(name)(functools.partial(function, self))
        self._start(options)

    # The translator calls the following methods.

    def source(self, name: str, trace: Trace, node: Node, made: Made | None) -> None:
        """Registers this node, or the result of `made` applied to it, as the parameter `name`."""
        self._sources[name] = Source(trace, node, made)

    def constant(self, name: str, tensor: Tensor) -> None:
        """Registers this tensor as the parameter `name`."""
        self._sources[name] = Source(constant=tensor)

    def table(self, name: str, padding: int, sparse: bool) -> None:
        """Registers a table. Its gradient is sparse only if all readers want a sparse gradient."""
        known = self._tables.get(name)
        self._tables[name] = Table(padding, sparse and (known is None or known.sparse))

    def before(self, port: str, trace: Trace, node: Node) -> None:
        """Registers a node that PyTorch computes for all vertices before the recursion, as a float port."""
        self._befores[port] = trace, node

    def after(self, name: str, trace: Trace, node: Node, v: cavs.Vertex, tag: str) -> None:
        """Registers an output that PyTorch computes after the recursion."""
        self._afters[trace, name] = node
        if self.several and trace not in self._masks:
            self._masks[trace] = f"{tag}%mask"
            v.push(self._masks[trace], v.constant(1.0))

    def dropout(self, trace: Trace, node: Node, p: float) -> None:
        """Registers the module of a dropout with probability p."""
        paths = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values()]
        self._dropouts.append((trace.cell.get_submodule(paths[-1] if paths else ""), p))

    # The following methods evaluate the plan.

    def _start(self, options: Mapping[str, Any]) -> None:
        outputs = [name for name in self.returns if name in self.in_cavs]
        outputs += [*self.pushes.values(), *self._masks.values()]
        self.engine = Engine(self.model, outputs, dict(options), self._tables)
        self.inputs = [name for name, _ in self.engine.inputs]
        self.outputs = [name for name, _ in self.engine.outputs]
        self.names = self.engine.names
        self.number = self.engine.number
        self.has_dropout = self.engine.has_dropout
        self.operator = self.engine.operators[0]
        self.wanted = [self._sources[name] for name in self.names]
        self.around = [self._surrounding(trace) for trace in self.traces]
        fixed = [(trace, self._wanted_of(trace, True)) for trace in self.traces]
        self.fixed = [(trace, trace.places(nodes)) for trace, nodes in fixed]
        nodes = [*(nodes for _, nodes in fixed), *(around.computed for around in self.around)]
        number = {node: i for i, node in enumerate(itertools.chain(*nodes))}
        self.places = [(number[s.node] if s.node is not None else -1, s.made, s.constant) for s in self.wanted]
        self.alone = not any(around.before or around.after for around in self.around)
        for i, around in enumerate(self.around):
            self._make_part((i, "computed"), around.computed, [], True)
        starts = [(name, trace, node) for trace in self.traces for node, (name, _) in trace.inputs.items()]
        starts += [(port, trace, node) for port, (trace, node) in self._befores.items()]
        reached = {name for name, trace, node in starts if trace.reached(node)}
        self.without_gradient = {name for name, _, _ in starts} - reached

    def _wanted_of(self, trace: Trace, fixed: bool) -> list[Node]:
        """Returns nodes that are parameters of cavs: with `fixed` tensors of the cell, else nodes computed from them."""
        nodes = [s.node for s in self.wanted if s.trace is trace and s.node is not None]
        return list(dict.fromkeys(node for node in nodes if (node in trace.fixed) == fixed))

    def _surrounding(self, trace: Trace) -> Surrounding:
        return Surrounding(
            trace,
            self._wanted_of(trace, False),
            {port: node for port, (of, node) in self._befores.items() if of is trace and port in self.inputs},
            {name: node for (of, name), node in self._afters.items() if of is trace},
            {port: node for (of, node), port in self.pushes.items() if of is trace},
            self._masks.get(trace, ""),
            [(name, node) for node, (name, _) in trace.inputs.items()],
            trace.places(trace.fixed),
        )

    def _prepare(self, training: bool, *given: str) -> bool:
        """Prepares the PyTorch parts for the inputs that are given, also while torch.compile traces."""
        for i, around in enumerate(self.around):
            own = tuple(name for name, _ in around.inputs if name in given)
            ends = [node for name, node in around.inputs if name in own]
            pushed = list(around.pushed.values())
            self._make_part((i, "before", training, own), around.before.values(), ends, training)
            self._make_part((i, "after", training, own), around.after.values(), ends + pushed, training)
        return True

    def _make_part(self, key: tuple[Any, ...], wanted: Collection[Node], ends: list[Node], training: bool) -> None:
        if wanted and key not in self._parts:
            trace = self.around[key[0]].trace
            shapes = [tuple(node.meta["val"].shape) for node in ends]
            self._parts[key] = trace.part(list(wanted), [*ends, *trace.fixed], training), shapes

    def tensors(self) -> list[Tensor]:
        """Returns the parameters of cavs: tensors of the cell itself, and tensors computed from them."""
        found: list[Tensor] = []
        for trace, places in self.fixed:
            found += trace.fetch(places)
        for i, around in enumerate(self.around):
            if around.computed:
                found += self._parts[i, "computed"][0](*around.trace.fetch(around.fixed))
        return [
            (constant if constant is not None else found[i] if made is None else made(found[i])).contiguous()
            for i, made, constant in self.places
        ]

    def _in_torch(
        self, i: int, kind: str, training: bool, given: tuple[str, ...], tensors: Sequence[Tensor]
    ) -> Sequence[Tensor]:
        """Runs the PyTorch part before or after the recursion for all vertices, on rows of inputs and pushes."""
        part, shapes = self._parts[i, kind, training, given]
        rows = [tensor.reshape(len(tensor), *shape) for tensor, shape in zip(tensors, shapes)]
        fixed = self.around[i].trace.fetch(self.around[i].fixed)
        run = torch.vmap(part.forward, in_dims=(0,) * len(rows) + (None,) * len(fixed), randomness="different")
        found: Sequence[Tensor] = run(*rows, *fixed)
        return found

    def run(self, batch: Batch, given: Mapping[str, Tensor], training: bool) -> dict[str, Tensor]:
        """Returns the outputs of a batch, [vertices, *shape] each. given: tensors of the call, by name."""
        count = batch.rows.shape[0]
        ports = {name: _flat(tensor, count) for name, tensor in given.items()}
        found = self._evaluate(batch, ports, training) if self.alone else self._run_all(batch, ports, count, training)
        return {
            name: found[name] if len(shape) == 1 else found[name].reshape(count, *shape)
            for name, shape in self.returns.items()
        }

    def _run_all(self, batch: Batch, ports: dict[str, Tensor], count: int, training: bool) -> dict[str, Tensor]:
        """Runs the PyTorch part before the recursion, the recursion, and the PyTorch part after it."""
        self._prepare(training, *ports)
        given = [tuple(name for name, _ in around.inputs if name in ports) for around in self.around]
        for i, around in enumerate(self.around):
            if around.before:
                rows = self._in_torch(i, "before", training, given[i], [ports[name] for name in given[i]])
                for port, row in zip(around.before, rows):
                    ports[port] = _flat(row, count)
        found = self._evaluate(batch, ports, training)
        for i, around in enumerate(self.around):
            if around.after:
                tensors = [*(ports[name] for name in given[i]), *(found[port] for port in around.pushed)]
                rows = self._in_torch(i, "after", training, given[i], tensors)
                for name, row in zip(around.after, rows):
                    self._put(found, name, row.reshape(count, -1), found.get(around.mask))
        return found

    def _input(self, name: str, tensor: Tensor | None) -> Tensor | None:
        """Returns an input for cavs, detached if no gradient reaches it."""
        return uncast(tensor.detach() if tensor is not None and name in self.without_gradient else tensor)

    def _put(self, found: dict[str, Tensor], name: str, row: Tensor, mask: Tensor | None) -> None:
        """Copies rows of an output to the vertices of their type."""
        if mask is not None:
            row = torch.where(mask > 0, row, 0.0)
        found[name] = found[name] + row if name in found else row

    def _evaluate(self, batch: Batch, ports: Mapping[str, Tensor], training: bool) -> dict[str, Tensor]:
        """Runs the recursion in cavs."""
        inputs = [self._input(name, ports.get(name)) for name in self.inputs]
        tensors = self.tensors()
        mode = gradient_mode(inputs, tensors)
        seed = None
        if training and self.has_dropout:
            self._check_dropout()
            mode |= DROPOUT
            seed = torch.randint(0, 2**31 - 1, (1,), device="cpu")
        if torch.compiler.is_compiling():
            values = self.operator(self.number, mode, batch._tensor, batch.sample, seed, *inputs, *tensors)
        else:
            values = evaluate(self.engine, mode, batch._handle, batch.sample, seed, [*inputs, *tensors])
        return dict(zip(self.outputs, values))

    def _check_dropout(self) -> None:
        """Raises Error if dropout is switched for a part of the module only, or p has changed since tracing."""
        for module, p in self._dropouts:
            now = module.p if isinstance(module, torch.nn.modules.dropout._DropoutNd) else p
            if not module.training or now != p:
                raise Error(
                    f"{module} was traced with p={p} and the mode of the whole module, but is now in "
                    f"{'training' if module.training else 'eval'} mode\n  to do: call train() or eval() of the whole "
                    "module, not of its parts; to change p, call cavs.torch.batched again"
                )

    def refuse_save(self) -> None:
        """Raises Error if PyTorch computes a part of the cell."""
        for around in self.around:
            for node in (*around.before.values(), *around.after.values()):
                raise Error(
                    f"{node.target} is computed by PyTorch, so cavs alone cannot evaluate this cell"
                    f"{place_of(around.trace, node)}\n  to do: move it out of the cell, or save the state_dict"
                )

    def saved_model(self, types: Sequence[str]) -> Model:
        """Returns the model, extended so that states are outputs, too."""
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
    return tensor if tensor.dim() == 2 or not tensor.is_floating_point() else tensor.reshape(count, -1)


def fewest_children(graphs: Graphs) -> dict[str, int]:
    """Returns the smallest number of children of the vertices of each type."""
    degrees = numpy.diff(graphs.child_offsets)
    types = graphs.types
    return {name: int(degrees[types == i].min(initial=1 << 30)) for i, name in enumerate(graphs.type_names)}
