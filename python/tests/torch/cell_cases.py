"""Cells that cavs.torch.batched must run, with their arguments and graphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from cells_by_style import (
    Before, Comprehension, Gates, Generator, InPlace, Layers, LeafBranch, LeafOfNumbers, Listed, MeanOrMax, Norms,
    SideBySide, Sums, Zoneout)
from cells_for_vertices import (
    D, H, WORDS, Attention, Binary, Broadcast, ChildSum, GraphAttention, Leaf, MatrixVector, Message, MultiHead,
    PerKind, Pool, RowsOfOne, TensorNetwork, TransformerBlock, WeightNorm, Word)
from torch import nn

from cavs.torch import Child, Children, EdgeIndex, Edges, Index, Input


@dataclasses.dataclass
class Case:
    """A cell, the specs of its arguments, and the graphs that it runs over. given: widths of inputs of the call."""

    name: str
    make: Callable[[], nn.Module]
    returns: Mapping[str, Any]
    arguments: Mapping[str, Any]
    graphs: tuple[str, ...] = ("trees", "chains", "dags")
    ports: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    edge_ports: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    leaf: tuple[Callable[[], nn.Module], Mapping[str, Any]] | None = None
    method: str = "forward"
    most: int = 4


X = {"x": (D,)}
HC = {"h": H, "c": H}
PAIR = {"left": (Child(0, "h"), Child(0, "c")), "right": (Child(1, "h"), Child(1, "c"))}
AFTER = {"input": D, "hx": Child(0, "h")}
CASES = [
    Case("child-sum Tree-LSTM", ChildSum, HC, {"x": D}, given=X),
    Case("rows of one", RowsOfOne, {"child_c": H, "child_h": H}, {"inputs": D}, given={"inputs": (D,)},
         method="node_forward"),
    Case("binary Tree-LSTM, typed leaves", Binary, HC, PAIR, ("binary",), {"word": WORDS},
         leaf=(Leaf, {"word": Index()})),
    Case("binary Tree-LSTM, states with one row", Binary, {"h": (1, H), "c": (1, H)}, PAIR, ("binary", "chains"), most=2),
    Case("binary Tree-LSTM, absent children", Binary, HC, PAIR, ("binary", "chains", "trees"), most=2),
    Case("LSTMCell", lambda: nn.LSTMCell(D, H), HC, {"input": D, "hx": (Child(0, "h"), Child(0, "c"))}, ("chains",),
         given={"input": (D,)}),
    Case("GRUCell", lambda: nn.GRUCell(D, H), {"h": H}, AFTER, ("chains",), given={"input": (D,)}),
    Case("RNNCell", lambda: nn.RNNCell(D, H), {"h": H}, AFTER, ("chains",), given={"input": (D,)}),
    Case("RNNCell with ReLU", lambda: nn.RNNCell(D, H, nonlinearity="relu"), {"h": H}, AFTER, ("chains",),
         given={"input": (D,)}),
    Case("attention", Attention, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("MultiheadAttention", lambda: MultiHead(False), {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("MultiheadAttention with weights", lambda: MultiHead(True), {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("GAT", GraphAttention, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("Transformer block", TransformerBlock, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("embedding and head", Word, {"h": H, "logits": 3}, {"word": Index(), "hs": Children("h")},
         ports={"word": WORDS}),
    Case("embedding of a LongTensor", Word, {"h": H, "logits": 3}, {"word": Index(given=True), "hs": Children("h")},
         given={"word": WORDS}),
    Case("edge features", Message, {"h": H}, {"x": D, "length": Edges(2), "kind": EdgeIndex()}, given=X,
         edge_ports={"length": (2,), "kind": 4}),
    Case("matrix per kind of edge", PerKind, {"h": H}, {"x": D, "kind": EdgeIndex()}, given=X, edge_ports={"kind": 4}),
    Case("RNTN", TensorNetwork, {"h": H}, {"left": Child(0, "h"), "right": Child(1, "h")}, ("binary",), {"x": (D,)},
         leaf=(LeafOfNumbers, {"x": D})),
    Case("MV-RNN", MatrixVector, {"h": H, "M": (H, H)}, {"left": (Child(0, "h"), Child(0, "M")),
                                                          "right": (Child(1, "h"), Child(1, "M"))}, ("binary",)),
    Case("weight norm", WeightNorm, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("pooling", Pool, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("broadcast", Broadcast, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("in place", InPlace, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("before and after", Before, {"h": H, "y": 3}, {"x": D, "hs": Children("h")}, given=X),
    Case("two layers", Layers, {"h1": H, "c1": H, "h2": H, "c2": H},
         {"x": D, "a": (Child(0, "h1"), Child(0, "c1")), "b": (Child(0, "h2"), Child(0, "c2"))}, ("chains",), given=X),
    Case("sums of states with one row", Sums, {"h": (1, H), "n": (1, 1)}, {}),
    Case("lists", Listed, HC, {"x": D, "hs": [Children("h")], "cs": [Children("c")]}, given=X),
    Case("list of pairs", Generator, HC, {"x": D, "below": [(Children("h"), Children("c"))]}, given=X),
    Case("list comprehension", Comprehension, {"child_c": H, "child_h": H}, {"inputs": D}, given={"inputs": (D,)}),
    Case("side by side", SideBySide, HC, {"h": Child((0, 1), "h"), "c": Child((0, 1), "c")}, ("binary", "chains")),
    Case("norms", Norms, {"h": H}, {"x": D, "hs": Children("h")}, given=X),
    Case("gates", Gates, {"h": H, "one": 1}, {"x": D, "h": Child(0, "h"), "seen": Input(1)}, ("chains",),
         given={"x": (D,), "seen": (1,)}),
    Case("leaf branch", LeafBranch, {"h": H}, {"x": D}, given=X),
    Case("zoneout by an input", Zoneout, {"h": H}, {"x": D, "h": Child(0, "h"), "mask": H}, ("chains",),
         given={"x": (D,), "mask": (H,)}),
    Case("mean and max, typed leaves", MeanOrMax, {"h": H}, {}, ("trees", "dags"), {"x": (D,)},
         leaf=(LeafOfNumbers, {"x": D})),
]
