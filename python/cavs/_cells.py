"""batched(cell): runs an nn.Module that was written for one vertex over whole graphs, with its own parameters."""

from __future__ import annotations

import copy
import functools
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch import Tensor

from ._cell_check import Check
from ._cell_plan import Plan, fewest_children
from ._cell_specs import Child as Child
from ._cell_specs import Children as Children
from ._cell_specs import EdgeIndex as EdgeIndex
from ._cell_specs import Edges as Edges
from ._cell_specs import Index as Index
from ._cell_specs import Input as Input
from ._cell_specs import Shape, leaves_of, path_name, shape_of, specified, width_of
from ._cell_trace import Trace
from ._cell_translate import declare
from ._core import Error, Graphs, _save_module
from ._torch_ops import Handle

ONE = ""  # the type name of the only cell, which is for vertices of all types
_SHARED = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")


@functools.cache
def _let_compilers_prepare() -> None:
    """Lets torch.compile call the functions that make plans. This imports PyTorch's compiler, which is slow."""
    constant: Any = torch.compiler.assume_constant_result
    for owner in (Plan, Batched):
        owner._prepare = constant(owner._prepare)  # type: ignore[method-assign]


class Batched(torch.nn.Module):
    """The module that batched() returns. It shares parameters, buffers, submodules and state_dict with the cell.

    net(batch, x=vectors) evaluates a Batch (or Graphs). It returns a dict with a tensor [vertices, *shape] per name of
    `returns`.
    """

    def __init__(
        self,
        cells: Mapping[str, torch.nn.Module],
        arguments: Mapping[str, Mapping[str, Any]],
        returns: Mapping[str, Shape],
        method: str,
        options: Mapping[str, Any],
    ) -> None:
        super().__init__()
        self._cells = dict(cells)
        self._arguments = {kind: dict(specs) for kind, specs in arguments.items()}
        self._returns = dict(returns)
        self._method = method
        self._options = dict(options)
        self._register()
        specs = {kind: specified(cell, method, self._arguments[kind], returns) for kind, cell in cells.items()}
        read = {leaf.state for kind in specs for leaf in leaves_of(specs[kind]) if leaf.state}
        self._states = [name for name in returns if name in read]
        self._traces = {kind: Trace(cell, method, specs[kind], self._returns) for kind, cell in cells.items()}
        self._start()

    def _register(self) -> None:
        """Shares the dicts of a single cell, so that all names are the same. Several cells become submodules."""
        if ONE in self._cells:
            shared = self._cells[ONE].__dict__
            self.__dict__.update((key, shared[key]) for key in _SHARED)
        else:
            for kind, cell in self._cells.items():
                self.add_module(kind, cell)

    def _start(self) -> None:
        """Creates the members that copies do not share."""
        _let_compilers_prepare()
        self._plans: dict[tuple[str, ...], Plan] = {}
        self._known: list[Graphs] = []
        self._given = {
            name: leaf
            for trace in self._traces.values()
            for name, leaf in trace.inputs.values()
            if leaf.kind in ("input", "index")
        }

    def check(self, tolerance: float = 1e-5) -> None:
        """Compares all outputs and gradients with the cell itself, at random vertices with 0, 1, 2 and more children.

        Raises Error with the name of the output or the parameter that differs by more than `tolerance`.
        """
        for kind, trace in self._traces.items():
            Check(trace, self._states, functools.partial(self._plan_of, kind), tolerance).run()

    def _plan_of(self, kind: str, functions: Mapping[str, Any]) -> Plan:
        """Returns a plan to check: the cell at vertices of the type "cell", and given functions of other types."""
        options = {**self._options, "precision": "fp32"}
        trace = self._traces[kind]
        return Plan(
            [trace],
            self._returns,
            self._states,
            options,
            {**functions, "cell": functools.partial(declare, kind, trace)},
        )

    def plan(self, types: Sequence[str]) -> Plan:
        """Returns the plan for graphs whose vertices have these types."""
        key = tuple(types)
        if key not in self._plans:
            unknown = [name for name in key if ONE not in self._traces and name not in self._traces]
            if unknown:
                raise Error(
                    f"the graphs have vertices of type '{unknown[0]}'; there are cells for: {', '.join(self._traces)}\n"
                    "  to do: make graphs with these types, for example with from_objects(..., type=...)"
                )
            kinds = {name: ONE if ONE in self._traces else name for name in key}
            functions = {name: functools.partial(declare, kind, self._traces[kind]) for name, kind in kinds.items()}
            traces = [self._traces[kind] for kind in dict.fromkeys(kinds.values())]
            plan = Plan(traces, self._returns, self._states, self._options, functions)
            plan.engine.inspect = functools.partial(self._check_graphs, kinds)
            self._plans[key] = plan
        return self._plans[key]

    def _prepare(self, *types: str) -> bool:
        """Makes the plan for graphs with these types, also while torch.compile traces."""
        return self.plan(types) is not None

    def _prepare_batch(self, batch: Any) -> None:
        self.plan(batch.types).engine.prepare(batch._handle)

    def _check_graphs(self, kinds: Mapping[str, str], graphs: Graphs) -> None:
        """Raises Error for vertices at which the cell itself fails, such as by a maximum over no children."""
        if not any(trace.fewest for trace in self._traces.values()) or any(known is graphs for known in self._known):
            return
        for name, fewest in fewest_children(graphs).items():
            trace = self._traces[kinds[name]]
            if fewest < trace.fewest:
                raise Error(
                    f"a vertex of the type '{name}' has {fewest} children, and {trace.title} {trace.why_fewest} there\n"
                    "  to do: give such vertices their own type and cell, or add a branch to the cell"
                )
        self._known = [*self._known[-7:], graphs]

    def forward(self, batch: Any, /, **given: Any) -> dict[str, Tensor]:
        if not isinstance(getattr(batch, "_handle", None), Handle):
            batch = _batch_of(batch)
        self._prepare(*batch.types)
        return self._plans[batch.types].run(batch, self._checked(given, batch.rows.shape[0]), self.training)

    def _checked(self, given: Mapping[str, Any], count: int) -> dict[str, Tensor]:
        """Returns the tensors of the call by input of the cell. Raises Error for tensors that do not fit."""
        found: dict[str, Tensor] = {}
        for argument, value in given.items():
            if isinstance(value, Tensor):
                found[argument] = value
            else:
                paths, _ = pytree.tree_flatten_with_path({argument: value})
                found.update((path_name(path), leaf) for path, leaf in paths)
        for name, tensor in found.items():
            self._check_input(name, tensor, count)
        for name, leaf in self._given.items():
            if leaf.given and name not in found:
                raise Error(
                    f"input '{name}' is missing: Index(given=True) expects a LongTensor [{count}]"
                )
        return found

    def _check_input(self, name: str, tensor: Any, count: int) -> None:
        leaf = self._given.get(name)
        if leaf is None:
            raise Error(f"the cell has no input '{name}'; known: {', '.join(self._given) or 'none'}")
        if not isinstance(tensor, Tensor):
            raise Error(
                f"input '{name}' is of type {type(tensor).__name__}; expected a torch.Tensor, such as "
                "torch.from_numpy(array)"
            )
        if leaf.is_index and not leaf.given:
            raise Error(
                f"input '{name}' comes from an index port of the graphs; pass no tensor, or declare Index(given=True)"
            )
        if leaf.is_index == tensor.is_floating_point():
            raise Error(
                f"input '{name}' has dtype {tensor.dtype}; expected {'torch.int64' if leaf.is_index else 'torch.float32'}"
            )
        if tensor.shape != (count, *leaf.shape) and tensor.shape != (count, width_of(leaf.shape)):
            raise Error(
                f"input '{name}' has shape {list(tensor.shape)}; expected {[count, *leaf.shape]}, one row per "
                "vertex of the batch"
            )

    def train(self, mode: bool = True) -> Batched:
        super().train(mode)
        for cell in self._cells.values():
            cell.training = mode
        return self

    def extra_repr(self) -> str:
        cells = ", ".join(type(cell).__name__ for cell in self._cells.values())
        return f"{cells}, returns={self._returns}, {', '.join(f'{k}={v!r}' for k, v in self._options.items())}"

    def save(self, path: str | pathlib.Path, types: Iterable[str] = ()) -> None:
        """Saves a cavs checkpoint, which cavs.load, C++ and `cavs predict` evaluate without PyTorch.

        types: names of the vertex types; by default the types that have cells, or "vertex".

        Raises Error if PyTorch computes a part of the cell.
        """
        names = list(types) or ([*self._cells] if ONE not in self._cells else ["vertex"])
        plan = self.plan(names)
        plan.refuse_save()
        with torch.no_grad():
            values = [(name, tensor.detach().cpu().numpy()) for name, tensor in zip(plan.names, plan.tensors())]
        _save_module(plan.saved_model(names), values, str(path))

    def __deepcopy__(self, memo: dict[int, Any]) -> Batched:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        own = ("_cells", "_traces", "_plans", "_known", "_given", "_options", "_arguments", *_SHARED)
        made.__dict__.update(copy.deepcopy({k: v for k, v in self.__dict__.items() if k not in own}, memo))
        made.__dict__.update(_options=self._options, _arguments=self._arguments)
        made.__dict__.update((key, copy.copy(self.__dict__[key])) for key in _SHARED)
        made._cells = {kind: copy.deepcopy(cell, memo) for kind, cell in self._cells.items()}
        made._register()
        made._traces = {kind: trace.with_cell(made._cells[kind]) for kind, trace in self._traces.items()}
        made._start()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        made = (self._cells, self._arguments, self._returns, self._method, self._options)
        fewest = {
            kind: (trace.fewest, trace.why_fewest, trace.leaf is not None) for kind, trace in self._traces.items()
        }
        return _remade, (*made, fewest, self.training)


def _batch_of(graphs: Any) -> Any:
    """Returns a batch of all samples."""
    from .torch import Batch

    if not isinstance(graphs, Graphs):
        raise Error(f"a module is called with a {type(graphs).__name__}; expected a cavs.torch.Batch or cavs.Graphs")
    return Batch(graphs)


def _remade(
    cells: Mapping[str, torch.nn.Module],
    arguments: Mapping[str, Mapping[str, Any]],
    returns: Mapping[str, Shape],
    method: str,
    options: Mapping[str, Any],
    found: Mapping[str, tuple[int, str, bool]],
    training: bool,
) -> Batched:
    """Restores a pickled module: traces the cell again and restores the results of its check."""
    made = Batched(cells, arguments, returns, method, options)
    for kind, (fewest, why, has_leaf) in found.items():
        trace = made._traces[kind]
        trace.fewest = fewest
        trace.why_fewest = why
        trace.leaf = trace.without_children() if has_leaf else None
    made.training = training
    return made


def batched(
    cell: Any,
    returns: Mapping[str, int | tuple[int, ...]],
    *,
    method: str = "forward",
    check: bool = True,
    threads: int = 1,
    engine: str = "batched",
    policy: str = "frontier",
    precision: str = "fp32",
    **arguments: Any,
) -> Batched:
    """Makes a module that evaluates `cell`, an nn.Module that was written for one vertex, at all vertices of graphs.

        net = cavs.torch.batched(ChildSum(d, h), {"h": h, "c": h}, x=d)   # forward(self, x, h, c) -> (h, c)
        out = net(batch, x=vectors)                                       # {"h": [vertices, h], "c": [vertices, h]}

    cell: the module, or for vertices of several types a dict {type: (cell, arguments)}.
    returns: names of the cell's results, in order, with their widths, or a tuple of sizes for a matrix. Results that
    some argument reads are states, which parents read.
    arguments: the spec of each argument of the cell: a width (floats of the vertex), Input, Index, Children, Child,
    Edges, EdgeIndex, or lists, tuples and dicts of specs. An argument with the name of a state gets that state of the
    children.
    method: name of the cell's method that computes one vertex.
    check: True compares outputs and gradients with the cell itself, at a few random vertices.
    threads, engine, policy, precision: as in Trainer.

    The cell is traced once: its operations may depend on the number of children, but not on values of tensors. Raises
    Error for an operation that cavs does not support, with its line and what to do.
    """
    if not hasattr(torch.export, "default_decompositions"):
        raise Error(
            f"cavs.torch.batched needs PyTorch 2.6 or newer, found {torch.__version__}; upgrade it: "
            "pip install --upgrade torch"
        )
    if not isinstance(returns, Mapping):
        raise Error(f"returns is of type {type(returns).__name__}; expected the names of the cell's results with their "
                    "widths: {'h': 16}")
    shapes = {name: shape_of(shape, f"'{name}' of returns") for name, shape in returns.items()}
    cells = _cells_of(cell, arguments)
    options = {"threads": threads, "engine": engine, "policy": policy, "precision": precision}
    made = Batched(
        {kind: module for kind, (module, _) in cells.items()},
        {kind: specs for kind, (_, specs) in cells.items()},
        shapes,
        method,
        options,
    )
    if check:
        made.check()
    return made


def _cells_of(cell: Any, arguments: Mapping[str, Any]) -> dict[str, tuple[torch.nn.Module, Mapping[str, Any]]]:
    """Returns the cell of each type of vertices, and its arguments."""
    if not isinstance(cell, (Mapping, torch.nn.Module)):
        raise Error(f"the cell is of type {type(cell).__name__}; expected an nn.Module, or a dict {{type: (cell, arguments)}}")
    cells = cell if isinstance(cell, Mapping) else {ONE: (cell, arguments)}
    if isinstance(cell, Mapping) and arguments:
        raise Error(
            f"argument '{next(iter(arguments))}' is given together with types; expected {{type: (cell, arguments)}}"
        )
    for kind, pair in cells.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], torch.nn.Module):
            raise Error(
                f"the type '{kind}' has a {type(pair).__name__}; expected (cell, arguments): an nn.Module and a dict"
            )
    return dict(cells)
