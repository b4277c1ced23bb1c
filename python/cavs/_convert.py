"""Converts graphs of other libraries, without importing them."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ._core import Error, Graphs


def _check_mask(values: Any, where: str) -> None:
    """Raises Error for masked values: NumPy's conversions would drop the mask."""
    masked = int(np.sum(values.mask)) if isinstance(values, np.ma.MaskedArray) else 0
    if masked:
        raise Error(f"{where} is a masked array, and {masked} of its numbers are masked; expected an array without a mask: "
                    "array.filled(value), or rows of NaN for absent rows")


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _port(values: list[Any], where: str) -> NDArray[Any]:
    """Returns the values of a port: integers as an index port, other numbers as rows of floats. None is absent."""
    known = [v for v in values if v is not None]
    if all(_is_integer(v) for v in known):
        return np.array([-1 if v is None else v for v in values], np.int64)
    rows: list[NDArray[np.float32] | None] = []
    for value in values:
        _check_mask(value, where)
        try:
            rows.append(None if value is None else np.atleast_1d(np.asarray(value, np.float32)))
        except (TypeError, ValueError) as error:
            raise Error(f"{where} has {value!r}; expected only integers, or only numbers; words and names must be "
                        "numbered first") from error
    widths = {row.shape for row in rows if row is not None}
    if len(widths) != 1 or len(next(iter(widths))) != 1:
        raise Error(f"{where} has rows of different shapes {sorted(widths)}; expected one width")
    absent = np.full(next(iter(widths)), np.nan, np.float32)
    return np.stack([absent if row is None else row for row in rows])


def _names(given: Sequence[str] | None, attributes: list[Mapping[str, Any]]) -> list[str]:
    return sorted({str(name) for a in attributes for name in a}) if given is None else list(given)


def from_networkx(graphs: Any, *, node_ports: Sequence[str] | None = None, edge_ports: Sequence[str] | None = None,
                  type: str | None = None, type_names: Sequence[str] | None = None,
                  children: str = "predecessors") -> Graphs:
    """Converts networkx.DiGraphs: one graph or several, each a sample. Attributes of nodes and edges become ports.

    Vertices are in the order of the nodes, and children in the order of the edges.

    node_ports, edge_ports: attributes to convert; None converts all. Integers become an index port; other numbers, or
    arrays of one length, become a float port. A missing attribute is absent.
    type: the attribute with the vertex type.
    type_names: names of the types; None takes the types that occur, in the order of the vertices.
    children: "predecessors" if edges lead from children to parents, in the direction of messages; "successors" if edges
    lead from parents to children, as in networkx's trees.
    """
    if children not in ("predecessors", "successors"):
        raise Error(f"children is {children!r}; expected 'predecessors' or 'successors'")
    graphs = [graphs] if hasattr(graphs, "number_of_nodes") else list(graphs)
    sizes: list[int] = []
    child: list[int] = []
    parent: list[int] = []
    nodes: list[Mapping[str, Any]] = []
    edges: list[Mapping[str, Any]] = []
    for g, graph in enumerate(graphs):
        if not graph.is_directed():
            raise Error(f"graph {g} is undirected; expected a DiGraph without cycles, with edges to the parents")
        number = {node: len(nodes) + i for i, node in enumerate(graph.nodes)}
        sizes.append(len(number))
        nodes.extend(data for _, data in graph.nodes(data=True))
        for u, v, data in graph.edges(data=True):
            child.append(number[u if children == "predecessors" else v])
            parent.append(number[v if children == "predecessors" else u])
            edges.append(data)
    types = None
    if type is not None:
        found = [str(data[type]) if type in data else "" for data in nodes]
        type_names = list(dict.fromkeys(found)) if type_names is None else list(type_names)
        unknown = next((i for i, name in enumerate(found) if not name or name not in type_names), None)
        if unknown is not None:
            raise Error(f"node {unknown} of all graphs has {type} {nodes[unknown].get(type)!r}; expected one of "
                        f"{', '.join(map(repr, type_names))}")
        types = np.array([type_names.index(name) for name in found])
    return Graphs.from_edges(
        np.array(sizes, np.int64), np.array(child, np.int64), np.array(parent, np.int64), types=types,
        type_names=type_names,
        ports={n: _port([a.get(n) for a in nodes], f"node attribute '{n}'") for n in _names(node_ports, nodes)
               if n != type},
        edge_ports={n: _port([a.get(n) for a in edges], f"edge attribute '{n}'") for n in _names(edge_ports, edges)})


def _reader(how: str | Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns a function that reads a value: `how` itself, or a lookup of the attribute or mapping key `how`."""
    if not isinstance(how, str):
        return how
    return lambda item: item.get(how) if isinstance(item, Mapping) else getattr(item, how, None)


def _child_reader(children: str | Sequence[str] | Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    if isinstance(children, str) or callable(children):
        read = _reader(children)
        return lambda item: list(read(item) or ())
    each = [_reader(name) for name in children]

    def slots(item: Any) -> list[Any]:
        found = [read(item) for read in each]
        return found if any(child is not None for child in found) else []
    return slots


def from_objects(roots: Iterable[Any], *, children: str | Sequence[str] | Callable[[Any], Any] = "children",
                 ports: Mapping[str, str | Callable[[Any], Any]] | None = None,
                 edge_ports: Mapping[str, str | Callable[[Any], Any]] | None = None,
                 type: str | Callable[[Any], Any] | None = None, type_names: Sequence[str] | None = None) -> Graphs:
    """Converts trees or acyclic graphs of Python objects: one sample per root, with all objects reachable from it.

    Vertices are in the order of a depth-first walk, so the root is the first vertex. An object with several parents is
    one vertex. Python may share one object for equal numbers or strings, so leaves should be mappings or objects of a
    class. Objects may be nested as deep as memory allows.

    children: the attribute (or mapping key) with the list of an object's children; several attributes, such as ("left",
    "right"), with one child each; or a function of the object. A child that is None is absent. An object whose named
    children are all None is a leaf without child slots.
    ports: name -> attribute, key or function. Integers become an index port; other numbers, or arrays of one length,
    become a float port. None is absent.
    edge_ports: name -> attribute, key or function that returns a list with one value per child.
    type: attribute, key or function that returns the name of the vertex type.
    type_names: names of the types; None takes the types that occur, in the order of the vertices.
    """
    children_of = _child_reader(children)
    items: list[Any] = []
    begin, offsets = [0], [0]
    slots: list[int] = []
    for root in roots:
        number: dict[int, int] = {}
        found: list[list[Any]] = []
        first = len(items)
        todo = [root]
        while todo:
            item = todo.pop()
            if id(item) in number:
                continue
            number[id(item)] = len(found)
            items.append(item)  # keeps the object alive, so that its id stays unique
            found.append(children_of(item))
            todo.extend(child for child in reversed(found[-1]) if child is not None)
        for below in found:
            slots.extend(-1 if child is None else number[id(child)] for child in below)
            offsets.append(len(slots))
        begin.append(first + len(found))
    for name in [] if callable(children) or not items else [children] if isinstance(children, str) else children:
        if not any(name in item if isinstance(item, Mapping) else hasattr(item, name) for item in items):
            raise Error(f"none of the {len(items)} objects has an attribute or key '{name}' with its children; found "
                        f"{items[0].__class__.__name__}; pass children=... with another name or a function")
    types = None
    if type is not None:
        named = [_reader(type)(item) for item in items]
        type_names = list(dict.fromkeys(map(str, named))) if type_names is None else list(type_names)
        unknown = next((i for i, name in enumerate(named) if name is None or str(name) not in type_names), None)
        if unknown is not None:
            raise Error(f"object {unknown} of all samples has the type {named[unknown]!r}; expected one of "
                        f"{', '.join(map(repr, type_names))}")
        types = np.array([type_names.index(str(name)) for name in named], np.int64)
    return Graphs.from_arrays(
        np.array(begin, np.int64), np.array(offsets, np.int64), np.array(slots, np.int64), types=types,
        type_names=type_names,
        ports={name: _port(list(map(_reader(how), items)), f"port '{name}'") for name, how in (ports or {}).items()},
        edge_ports={name: _port(_edge_values(map(_reader(how), items), offsets, f"edge port '{name}'"), f"edge port '{name}'")
                    for name, how in (edge_ports or {}).items()})


def _edge_values(lists: Iterable[Any], offsets: Sequence[int], where: str) -> list[Any]:
    """Returns the values of all edges from the lists of the vertices. None is an empty list."""
    values: list[Any] = []
    for v, found in enumerate(lists):
        values.extend(() if found is None else found)
        if len(values) != offsets[v + 1]:
            raise Error(f"{where} of object {v} of all samples is {found!r}; expected one entry for each of its "
                        f"{offsets[v + 1] - offsets[v]} children")
    return values


def _columns(name: str, values: NDArray[Any], where: str) -> dict[str, NDArray[Any]]:
    """Makes ports of an array: floats one port; integers one port per column (NAME, or NAME_0, NAME_1 and so on)."""
    if values.ndim not in (1, 2):
        raise Error(f"{where} has shape {list(values.shape)}; expected [rows] or [rows, columns]")
    if values.dtype.kind == "f":
        return {name: values.astype(np.float32, copy=False)}
    if values.dtype.kind not in "iu":
        raise Error(f"{where} is of dtype {values.dtype}; expected integers or floats")
    if values.ndim == 1 or values.shape[1] == 1:
        return {name: values.reshape(-1)}
    return {f"{name}_{c}": np.ascontiguousarray(values[:, c]) for c in range(values.shape[1])}


def _joined(parts: list[NDArray[Any]], where: str) -> NDArray[Any]:
    shapes = {(part.dtype.kind, part.shape[1:]) for part in parts}
    if len(shapes) > 1:
        raise Error(f"{where} differs between samples: {sorted(map(str, shapes))}; expected one type and width")
    return np.concatenate(parts)


def _targets(values: NDArray[Any], parents: NDArray[np.int64], vertices: int, where: str) -> NDArray[Any]:
    """Returns a target per vertex. A target of the whole graph is placed at the vertices without parents."""
    values = np.atleast_1d(values)
    if values.dtype.kind == "f" and values.ndim == 2:
        missing = np.isnan(values)
        some = missing.any(axis=1) & ~missing.all(axis=1)
        if some.any():
            row = int(np.argmax(some))
            raise Error(f"{where}: row {row} has NaN in column {int(np.argmax(missing[row]))}, but not in all; a row is "
                        "absent as a whole, so make one port per target: Graphs.from_edges(..., ports={'y_0': y[:, 0], "
                        "...}), each with its own loss")
    if values.shape[0] == vertices and vertices != 1:
        return values
    if values.shape[0] != 1:
        raise Error(f"{where} has {values.shape[0]} rows; expected one, or one for each of the {vertices} vertices")
    absent = np.nan if values.dtype.kind == "f" else -1
    rows = np.full((vertices, *values.shape[1:]), absent, values.dtype)
    rows[parents == 0] = values[0]
    return rows


def _data_list(samples: Any) -> list[Any]:
    """Returns a list of Data from one Data, a Batch, a data set or any iterable of Data."""
    if hasattr(samples, "to_data_list"):
        return list(samples.to_data_list())
    # A data set also has the members of a Data. It iterates over samples; a Data iterates over its members.
    if hasattr(samples, "edge_index") and not hasattr(next(iter(samples), None) if hasattr(samples, "__iter__") else None,
                                                      "edge_index"):
        return [samples]
    return list(samples)


def _array(values: Any, where: str) -> NDArray[Any]:
    """Converts anything that NumPy can read to an array. Tensors are detached and copied to the CPU."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    _check_mask(values, where)
    try:
        return np.asarray(values)
    except (TypeError, ValueError) as error:
        raise Error(f"{where} cannot be read as an array: {error}; expected a type of NumPy, integers or floats, such as "
                    "its .float()") from error


def _check_directions(edges: NDArray[np.int64], where: str) -> None:
    span = int(edges.max(initial=0)) + 1
    both = np.isin(edges[0] * span + edges[1], edges[1] * span + edges[0]) & (edges[0] != edges[1])
    if both.any():
        a, b = edges[:, np.argmax(both)]
        raise Error(f"{where}: edge_index has edges in both directions, such as {a} -> {b} and {b} -> {a}; expected "
                    "only edges from child to parent, such as edge_index[:, edge_index[0] < edge_index[1]]")


def from_pyg(samples: Any, *, names: Mapping[str, str] | None = None) -> Graphs:
    """Converts Data of PyTorch Geometric (one, a list, a Batch or a data set): `edge_index`, `x`, `edge_attr` and `y`.

    An edge leads from a child (edge_index[0]) to its parent (edge_index[1]), in the direction of messages. Cycles, and
    so both directions of an edge, are errors. Floats become a float port and integers an index port: `x`, `edge_attr`,
    and for `y` the port `label` (integers) or `y` (floats). Several columns of integers become x_0, x_1 and so on.
    A `y` of the whole graph is placed at the vertices without parents.

    names: other names of the ports: {"x": "word"}.

    Tensors may be on any device and may require gradients. PyTorch is not imported: any object with these members works
    if they are arrays that NumPy can read.
    """
    samples = _data_list(samples)
    names = names or {}
    sizes, child, parent = [], [], []
    rows: dict[str, list[NDArray[Any]]] = {"x": [], "edge_attr": [], "y": []}
    begin = 0
    for s, sample in enumerate(samples):
        where = f"sample {s}"
        edges = _array(sample.edge_index, f"{where}: edge_index")
        if edges.ndim != 2 or edges.shape[0] != 2 or edges.dtype.kind not in "iu":
            raise Error(f"{where}: edge_index is {edges.dtype} {list(edges.shape)}; expected integers [2, edges]")
        edges = edges.astype(np.int64)
        _check_directions(edges, where)
        x, edge_attr, y = (getattr(sample, name, None) for name in rows)
        count = getattr(sample, "num_nodes", None)
        vertices = int(count) if count is not None else len(x) if x is not None else int(edges.max(initial=-1)) + 1
        if edges.size and not 0 <= edges.min() <= edges.max() < vertices:
            raise Error(f"{where}: edge_index has {edges.min()} to {edges.max()}; expected 0 to {vertices - 1}")
        sizes.append(vertices)
        child.append(edges[0] + begin)
        parent.append(edges[1] + begin)
        begin += vertices
        if x is not None:
            rows["x"].append(_array(x, f"{where}: x"))
        if edge_attr is not None:
            rows["edge_attr"].append(_array(edge_attr, f"{where}: edge_attr"))
        if y is not None:
            parents = np.bincount(edges[0], minlength=vertices)  # number of parents of each vertex
            rows["y"].append(_targets(_array(y, f"{where}: y"), parents, vertices, f"{where}: y"))
    ports: dict[str, dict[str, NDArray[Any]]] = {}
    for name, parts in rows.items():
        if parts and len(parts) != len(samples):
            raise Error(f"{name} is present in {len(parts)} of {len(samples)} samples; expected all or none")
        joined = _joined(parts, name) if parts else np.zeros(0)
        default = "label" if name == "y" and joined.dtype.kind in "iu" else name
        ports[name] = _columns(names.get(name, default), joined, name) if parts else {}
    none = np.zeros(0, np.int64)
    return Graphs.from_edges(np.array(sizes, np.int64), np.concatenate([none, *child]), np.concatenate([none, *parent]),
                             ports={**ports["x"], **ports["y"]}, edge_ports=ports["edge_attr"])
