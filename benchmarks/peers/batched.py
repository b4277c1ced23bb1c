"""Modules of cavs.torch with the same parameters and loss as the PyTorch modules, for python_peers.py.

A minibatch is a `Part`: the numbers of its samples. Making a cavs.torch.Batch from them, with words and labels, is part
of a training step.
"""

import chains
import child_sum
import torch
from torch import nn

import cavs.torch
from cavs.torch import Child, Children, Index


class Data:
    def __init__(self, graphs):
        self.graphs = graphs
        self.words, self.labels = (torch.from_numpy(graphs[port]).long() for port in ("word", "label"))


class Part:
    def __init__(self, data, first, last):
        self.data, self.numbers, self.samples = data, range(first, last), last - first
        begin = data.graphs.sample_begin
        self.vertices = int(begin[last] - begin[first])


def parts_of(graphs, batch_size):
    data = Data(graphs)
    return [Part(data, s, min(s + batch_size, len(graphs))) for s in range(0, len(graphs), batch_size)]


class OverBatch(nn.Module):
    """Base class. In subclasses, `net` has the parameters, and states() returns h of all vertices."""

    def logits(self, part):
        batch = cavs.torch.Batch(part.data.graphs, part.numbers)
        h = self.states(batch, part.data.words[batch.rows])
        return batch, h @ self.net.output_W + self.net.output_b

    def forward(self, part):
        return self.logits(part)[1]

    def loss(self, part):
        batch, logits = self.logits(part)
        return nn.functional.cross_entropy(logits, part.data.labels[batch.rows], ignore_index=-1, reduction="sum")


class Trees(OverBatch):
    """The recursive module (child_sum.Recursive), unchanged, with its cell run over all vertices of a minibatch."""

    def __init__(self, parameters):
        super().__init__()
        self.net = child_sum.Recursive(parameters)
        h = len(self.net.bf)
        self.tree = cavs.torch.batched(self.net, {"h": h, "c": h}, method="cell", x=h, hs=[Children("h")],
                                       cs=[Children("c")])

    def vectors(self, words):
        leaves = torch.nonzero(words >= 0).flatten()
        return torch.zeros(len(words), len(self.net.W)).index_copy(0, leaves, self.net.embed(words[leaves]))

    def states(self, batch, words):
        return self.tree(batch, x=self.vectors(words))["h"]


class WordCell(child_sum.Recursive):
    def word_cell(self, word, hs, cs):
        return self.cell(self.embed(word), hs, cs)


class TreesOfWords(OverBatch):
    """Trees with the embedding inside the cell; words come from a port of the graphs."""

    def __init__(self, parameters):
        super().__init__()
        self.net = WordCell(parameters)
        h = len(self.net.bf)
        self.tree = cavs.torch.batched(self.net, {"h": h, "c": h}, method="word_cell", word=Index(), hs=[Children("h")],
                                       cs=[Children("c")])

    def states(self, batch, words):
        return self.tree(batch)["h"]


class DeclaredTrees(Trees):
    """Trees with a cavs.torch.Module, whose cell is declared by hand."""

    def __init__(self, parameters):
        nn.Module.__init__(self)
        h = len(parameters["bf"])
        m = cavs.Model(seed=1)
        W, U, b = m.parameter("W", (h, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h)
        Wf, Uf, bf = m.parameter("Wf", (h, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h)

        @m.vertex_function
        def tree_lstm(v):
            x, hs, cs = v.pull("x", h), v.children("h"), v.children("c")
            i, o, u = (x @ W + hs.sum() @ U + b).split(3)
            f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
            c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
            v.scatter(c=c, h=cavs.sigmoid(o) * cavs.tanh(c))

        self.tree = cavs.torch.Module(m, outputs=["h"])
        self.net = child_sum.ChildSum(parameters)
        for name in self.tree._parameters:
            setattr(self.tree, name, getattr(self.net, name))


class Sentences(OverBatch):
    """nn.LSTMCell over the words of all sentences."""

    def __init__(self, parameters):
        super().__init__()
        self.net = chains.Packed(parameters)
        cell = nn.LSTMCell(len(parameters["W"]), len(parameters["U"]))
        self.chain = cavs.torch.batched(cell, {"h": cell.hidden_size, "c": cell.hidden_size}, input=cell.input_size,
                                        hx=(Child(0, "h"), Child(0, "c")))
        for name in list(cell._parameters):
            setattr(cell, name, getattr(self.net.lstm, f"{name}_l0"))

    def states(self, batch, words):
        return self.chain(batch, input=nn.functional.embedding(words, self.net.embedding, sparse=True))["h"]
