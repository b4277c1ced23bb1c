"""A trace of a cell by torch.export: a graph of operations, with what each of them depends on."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import logging
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ._cell_places import line_of_error, operation, place_of, running
from ._cell_specs import Shape, Spec, Unsupported, flattened, is_list, leaves_of
from ._core import Error

# Composite operations that have a rule of their own. PyTorch decomposes all others into core operations.
KEPT = frozenset(
    "stack chunk unbind detach elu linear matmul lstm_cell gru_cell softmax log_softmax layer_norm gelu mv addmv dot "
    "silu softplus scaled_dot_product_attention bilinear linalg_vector_norm logsumexp".split()
)

# Core operations without a rule, which PyTorch also decomposes.
_DECOMPOSED = ("var", "fill", "select_scatter")

# Levels of nodes. A node depends on parameters alone, or also on input of the vertex, or also on its children.
PARAMETERS, VERTEX, CHILDREN = 0, 1, 2

# A place of a tensor: (path of a submodule, name of the tensor in it, path and name joined or a constant tensor).
Place = tuple[list[str], str, str | Tensor]

_FEW = 3  # number of children of an example whose number is a symbol
_PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31)


def _is_empty(node: Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.numel() == 0


def _is_core(node: Node) -> bool:
    """True if decomposing the graph does not change this node."""
    target: Any = node.target
    if not hasattr(target, "_schema"):  # getitem, or arithmetic of sizes
        return node.op != "get_attr"
    name = operation(node)
    core = torch.Tag.core in target.tags and name not in _DECOMPOSED
    return (core or name in KEPT) and not target._schema.is_mutable


@functools.cache
def _decompositions() -> dict[Any, Any]:
    return {op: f for op, f in torch.export.default_decompositions().items() if str(op).split(".")[1] not in KEPT}


def _without_repeats(graph: Graph) -> Graph:
    """Removes common subexpressions from the graph, in place."""
    known: dict[str, Node] = {}
    for node in list(graph.nodes):
        if node.op != "call_function" or _is_random(node):
            continue
        first = known.setdefault(str((node.target, node.args, node.kwargs)), node)
        if first is not node:
            node.replace_all_uses_with(first)
            graph.erase_node(node)
    return graph


def _is_random(node: Node) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silences PyTorch's logs about an attempt at tracing that fails; the exception has the same text."""
    names = ("torch._guards", "torch.fx.experimental.symbolic_shapes", "torch.fx.experimental.recording")
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        for logger, disabled in zip(loggers, before):
            logger.disabled = disabled


class Trace:
    """A cell as a graph of operations.

    fixed: parameters, buffers and constants. inputs: all other placeholders, with the names of the arguments.
    level: node -> what it depends on. children: number of children in an unrolled loop; None if it is a symbol.
    leaf: the trace for vertices without children, if the cell branches on that. fewest: smallest number of children.
    """

    def __init__(
        self,
        cell: torch.nn.Module,
        method: str,
        specs: Mapping[str, Any],
        returns: Mapping[str, Shape],
        childless: bool = False,
    ) -> None:
        self.cell = cell
        self.method = method
        self.specs = specs
        self.returns = returns
        self.title = type(cell).__name__
        self.leaf: Trace | None = None
        self.fewest = 0
        self.why_fewest = ""
        self.children: int | None = None
        self._refuse_batch_norm()
        if not childless:
            self._try_once()
        exported = self._exported([(False, 0, False)] if childless else self._ways())
        self._read(exported, childless)

    def with_cell(self, cell: torch.nn.Module) -> Trace:
        """Returns this trace for a copy of the cell."""
        made = copy.copy(self)
        made.cell = cell
        if self.leaf is not None:
            made.leaf = self.leaf.with_cell(cell)
        return made

    def without_children(self) -> Trace:
        """Returns the trace of the cell at vertices without children."""
        return Trace(self.cell, self.method, self.specs, self.returns, True)

    @property
    def leaves(self) -> list[Spec]:
        return leaves_of(self.specs)

    @property
    def first(self) -> int:
        """Returns the first slot of the children that the cell reads as rows."""
        return max([leaf.slots for leaf in self.leaves if leaf.kind == "children"], default=0)

    @property
    def own_inputs(self) -> dict[str, Spec]:
        """Arguments that are not states, by name."""
        names, leaves, _ = flattened(self.specs, 1)
        return {name: leaf for name, leaf in zip(names, leaves) if not leaf.state}

    def _refuse_batch_norm(self) -> None:
        for name, module in self.cell.named_modules():
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
                raise Unsupported(
                    f"module '{name}' of {self.title} is a {type(module).__name__}: its results depend on other "
                    "vertices\n  to do: use LayerNorm instead"
                )

    def example(self, children: int) -> dict[str, Any]:
        """Returns random arguments for a vertex with this number of children."""
        _, leaves, structure = flattened(self.specs, children)
        draw = torch.Generator().manual_seed(1)
        arguments: dict[str, Any] = pytree.tree_unflatten(
            [self._example(leaf, children, draw) for leaf in leaves], structure
        )
        return arguments

    def _example(self, leaf: Spec, children: int, draw: torch.Generator) -> Tensor:
        rows = (children,) if leaf.per_child and leaf.item < 0 else ()
        if leaf.is_index:
            return torch.zeros(rows, dtype=torch.long)
        slots = (len(leaf.slot),) if isinstance(leaf.slot, tuple) else ()
        shape = (*slots, *self.returns[leaf.state]) if leaf.state else leaf.shape
        return torch.randn((*rows, *shape), generator=draw)

    def _try_once(self) -> None:
        """Runs the cell once, so that its own errors are reported before errors of tracing."""
        arguments = self.example(_FEW)
        try:
            with running(self.cell, self.method, False) as cell, torch.no_grad():
                outputs = cell(**arguments)
        except Exception as error:
            given = zip(flattened(self.specs, _FEW)[0], pytree.tree_leaves(arguments))
            shown = ", ".join(f"{name}: {str(y.dtype).removeprefix('torch.')} {list(y.shape)}" for name, y in given)
            raise Error(
                f"{self.title}.{self.method} fails at a vertex with {_FEW} children: {error}\n  at "
                f"{line_of_error(error)}\n  to do: check the arguments that it gets there: {shown}"
            ) from error
        found = [tuple(y.shape) if isinstance(y, Tensor) else type(y).__name__ for y in pytree.tree_leaves(outputs)]
        wanted = list(self.returns.values())
        if len(found) != len(wanted) or any(s not in (r, (1, *r)) for s, r in zip(found, wanted)):
            raise Error(f"{self.title}.{self.method} returns {found}; expected {dict(self.returns)}, in this order")

    def _ways(self) -> list[tuple[bool, int, bool]]:
        """Returns ways of tracing, the fastest first: (strict, number of children, True if that number is a symbol).

        Only Dynamo (strict) makes len(h) a symbol. Otherwise a loop over n children is unrolled; no other size is a
        multiple of n or n + 1. The translator then checks that all passes of the loop are the same.
        """
        sizes = {size for tensor in (*self.cell.parameters(), *self.cell.buffers()) for size in tensor.shape}
        sizes |= {size for shape in self.returns.values() for size in shape}
        sizes |= {size for leaf in leaves_of(self.specs) for size in leaf.shape}
        prime = next((n for n in _PRIMES if all(size % n and size % (n + 1) for size in sizes)), _PRIMES[-1])
        if any(is_list(part) for part in pytree.tree_leaves(dict(self.specs), is_leaf=is_list)):
            return [(False, prime, False)]
        return [(False, _FEW, True), (True, _FEW, True), (False, prime, False)]

    def _exported(self, ways: Sequence[tuple[bool, int, bool]]) -> torch.export.ExportedProgram:
        errors = []
        with (
            _quiet(),
            running(self.cell, self.method, True) as cell,
        ):  # in training mode, so that the trace has the dropout; each pass turns it on or off
            for strict, children, symbolic in ways:
                try:
                    exported = torch.export.export(
                        cell,
                        (),
                        self.example(children),
                        strict=strict,
                        dynamic_shapes=self._dynamic(children, symbolic),
                    )
                    self.children = None if symbolic or not children else children
                    self.traced = children
                    break
                except Exception as error:  # any exception, because torch.export does not document which it raises
                    errors.append(error)
            else:
                raise self._refusal(errors[0]) from errors[0]
        if all(_is_core(node) for node in exported.graph.nodes):  # decomposing takes longer than all other work
            return exported
        decomposed: torch.export.ExportedProgram = exported.run_decompositions(_decompositions())
        return decomposed

    def _dynamic(self, children: int, symbolic: bool) -> Any:
        """Returns which sizes of the example are symbols."""
        _, leaves, structure = flattened(self.specs, children)
        symbol = torch.export.Dim("children", min=0, max=1 << 20)
        sizes = [{0: symbol} if symbolic and leaf.per_child else {} for leaf in leaves]
        return pytree.tree_unflatten(sizes, structure)

    def _refusal(self, error: Exception) -> Unsupported:
        text = str(error).strip()
        why = "it branches on values of tensors" if "data-dependent" in text.lower() else (text.splitlines() or [""])[0]
        return Unsupported(
            f"{self.title} cannot be traced: {why}\n  at {line_of_error(error)}\n  to do: choose with torch.where, "
            "or give the vertices different types with one cell each"
        )

    def _read(self, exported: torch.export.ExportedProgram, childless: bool) -> None:
        signature = exported.graph_signature
        for buffer in signature.buffers_to_mutate.values():
            raise Unsupported(
                f"{self.title}.{self.method} writes the buffer '{buffer}', but cavs computes many vertices at a "
                "time\n  to do: update it outside of the cell"
            )
        self.graph = _without_repeats(exported.graph)
        targets = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
        constants = signature.inputs_to_lifted_tensor_constants
        names, leaves, _ = flattened(self.specs, self.children or (0 if childless else _FEW))
        arguments = iter(zip(names, leaves))
        self.fixed: dict[Node, str | Tensor] = {}
        self.inputs: dict[Node, tuple[str, Spec]] = {}
        for node in self.graph.nodes:
            if node.name in targets:
                self.fixed[node] = targets[node.name]
            elif node.name in constants:
                self.fixed[node] = self._constant(node, exported.constants[constants[node.name]])
            elif node.op == "placeholder":
                name, leaf = next(arguments)
                if childless and leaf.per_child:
                    self.fixed[node] = self._example(leaf, 0, torch.Generator())  # a tensor without rows
                else:
                    self.inputs[node] = name, leaf
            elif childless and _is_empty(node):
                value = node.meta["val"]
                self.fixed[node] = torch.zeros(value.shape, dtype=value.dtype)  # a placeholder
        self._find_levels()
        results = next(node for node in self.graph.nodes if node.op == "output")
        self.outputs: list[Node] = pytree.tree_leaves(results.args[0])

    def _constant(self, node: Node, value: Any) -> Any:
        """Returns a constant tensor of the cell. Raises Error for the .data of a computed tensor (no numbers)."""
        if type(value).__name__ == "FakeTensor":
            raise Unsupported(
                f"{self.title} reads the .data of a tensor that it computes, which a trace cannot follow"
                f"{place_of(self, next(iter(node.users)))}\n  to do: use detach()"
            )
        return value

    def _find_levels(self) -> None:
        self.level: dict[Node, int] = {}
        for node in self.graph.nodes:
            own = PARAMETERS
            if node in self.inputs:
                own = VERTEX if self.inputs[node][1].kind in ("input", "index") else CHILDREN
            sources = () if node in self.fixed else node.all_input_nodes
            self.level[node] = max([own, *(self.level[source] for source in sources)])
            self._refuse_random(node)

    def _refuse_random(self, node: Node) -> None:
        if _is_random(node) and operation(node) not in _DROPOUTS:
            raise Unsupported(
                f"{node.target} draws random numbers, which only dropout may do{place_of(self, node)}\n  to do: draw "
                "them outside of the cell and pass them as an input"
            )

    def needed(self, wanted: Sequence[Node], ends: Collection[Node] = ()) -> set[Node]:
        """Returns the nodes on which `wanted` depends, without looking beyond `ends`."""
        found: set[Node] = set()
        todo = list(wanted)
        while todo:
            node = todo.pop()
            if node not in found and node not in ends:
                found.add(node)
                todo += node.all_input_nodes
        return found

    def reached(self, start: Node) -> bool:
        """True if a gradient from the outputs reaches this node."""
        found = {start}
        for node in self.graph.nodes:
            value = node.meta.get("val")
            floats = [x for x in pytree.tree_leaves(value) if isinstance(x, Tensor) and x.is_floating_point()]
            if floats and operation(node) not in _STEPS and not found.isdisjoint(node.all_input_nodes):
                found.add(node)
        return not found.isdisjoint(self.outputs)

    def part(self, wanted: Sequence[Node], inputs: Sequence[Node], training: bool) -> GraphModule:
        """Returns the computation from the nodes `inputs` to the nodes `wanted`, as a PyTorch module."""
        graph = Graph()
        made = {node: graph.placeholder(f"in{i}") for i, node in enumerate(inputs)}
        needed = self.needed(wanted, made)
        for node in self.graph.nodes:
            if node in needed:
                made[node] = graph.node_copy(node, made.__getitem__)
                if operation(node) == "native_dropout":
                    made[node].args = (*made[node].args[:2], training)
        graph.output(tuple(made[node] for node in wanted))
        return GraphModule({}, graph)

    def places(self, nodes: Iterable[Node]) -> list[Place]:
        """Returns the places of these parameters, buffers and constants, for fetch()."""
        targets = [self.fixed[node] for node in nodes]
        return [(t.split(".")[:-1], t.rpartition(".")[2], t) if isinstance(t, str) else ([], "", t) for t in targets]

    def fetch(self, places: Sequence[Place]) -> list[Tensor]:
        """Returns the current tensors at these places, which functional_call and others may have replaced."""
        if torch.compiler.is_compiling():
            return [operator.attrgetter(t)(self.cell) if isinstance(t, str) else t for _, _, t in places]
        found: list[Tensor] = []
        for path, name, target in places:
            module: Any = self.cell
            for part in path:  # avoids Module.__getattr__, which takes longer than a small step
                module = module._modules[part]
            tensor = module._parameters.get(name) if isinstance(target, str) else target
            found.append(getattr(module, name) if tensor is None else tensor)
        return found


_STEPS = ("floor", "ceil", "round", "trunc", "sign", "detach")  # operations without a gradient
_DROPOUTS = ("native_dropout", "dropout", "scaled_dot_product_attention")
