"""The child-sum Tree-LSTM of cavs.zoo("tree-lstm") in PyTorch (recursive, and in levels) and in DGL, for
python_peers.py.

All have the same parameters, [in, out] as in cavs. Leaves have words; inner vertices have none, so their x is zero. A
minibatch is a `Trees`: words and labels [V] (-1 if absent), and the children of each vertex.
"""

import torch
from torch import nn

try:
    import dgl
except ImportError:
    dgl = None

NAMES = ["embedding", "W", "U", "b", "Wf", "Uf", "bf", "output_W", "output_b"]


class Trees:
    """Trees of one minibatch, with vertices numbered through all trees."""

    def __init__(self, words, labels, children):
        self.words, self.labels, self.children = torch.tensor(words), torch.tensor(labels), children
        self.leaves = torch.nonzero(self.words >= 0).flatten()
        self.edges = [(child, v) for v, below in enumerate(children) for child in below]
        is_child = {child for child, _ in self.edges}
        self.roots = [v for v in range(len(children)) if v not in is_child]


class ChildSum(nn.Module):
    """Base class with the parameters, the loss and its divisor."""

    sparse = True  # gradient of the embedding

    def __init__(self, parameters):
        super().__init__()
        for name in NAMES:
            setattr(self, name, nn.Parameter(parameters[name].clone()))

    def embed(self, words):
        return nn.functional.embedding(words, self.embedding, sparse=self.sparse)

    def loss(self, batch):
        return nn.functional.cross_entropy(self(batch), batch.labels, ignore_index=-1, reduction="sum")


# [recursive]
class Recursive(ChildSum):
    """One vertex at a time, as a tree is read."""

    def cell(self, x, hs, cs):
        h_sum = torch.stack(hs).sum(0) if hs else torch.zeros_like(self.bf)
        i, o, u = (x @ self.W + h_sum @ self.U + self.b).chunk(3)
        c = torch.sigmoid(i) * torch.tanh(u)
        for h_k, c_k in zip(hs, cs):
            c = c + torch.sigmoid(x @ self.Wf + h_k @ self.Uf + self.bf) * c_k
        return torch.sigmoid(o) * torch.tanh(c), c

    def visit(self, batch, v, states):
        below = [self.visit(batch, child, states) for child in batch.children[v]]
        x = self.embed(batch.words[v]) if batch.words[v] >= 0 else torch.zeros(len(self.W))
        h, c = self.cell(x, [h for h, _ in below], [c for _, c in below])
        states[v] = h
        return h, c

    def forward(self, batch):
        states = [None] * len(batch.children)
        for root in batch.roots:
            self.visit(batch, root, states)
        return torch.stack(states) @ self.output_W + self.output_b
# [end]


class Levels(ChildSum):
    """Batched by hand: all vertices of one height together. States are kept only until their parent has read them, so
    that a level copies no others. prepare() runs once per minibatch and is not timed."""

    @staticmethod
    def prepare(batch):
        order = list(batch.roots)  # parents before children, which the loop appends
        for v in order:
            order += batch.children[v]
        height = [0] * len(order)
        for v in reversed(order):
            height[v] = 1 + max((height[child] for child in batch.children[v]), default=-1)
        by_level = [[] for _ in range(max(height) + 1)]
        for v, level in enumerate(height):
            by_level[level].append(v)
        levels, carried = [], []
        for vertices in by_level:
            at = {v: i for i, v in enumerate(carried)}
            edges = [(at[child], row) for row, v in enumerate(vertices) for child in batch.children[v]]
            read = {i for i, _ in edges}
            kept = [i for i in range(len(carried)) if i not in read]
            levels.append(tuple(torch.tensor(list(x), dtype=torch.long) for x in
                                (vertices, [i for i, _ in edges], [row for _, row in edges], kept)))
            carried = [carried[i] for i in kept] + vertices
        batch.levels, batch.order = levels, torch.argsort(torch.tensor([v for level in by_level for v in level]))

    def forward(self, batch):
        outputs = []
        for level, (vertices, child, parent, kept) in enumerate(batch.levels):
            if level == 0:  # only leaves have words
                iou, c_kept = self.embed(batch.words[vertices]) @ self.W + self.b, 0.0
            else:
                below, zeros = h[child], torch.zeros(len(vertices), len(self.bf))
                f = torch.sigmoid(below @ self.Uf + self.bf)
                c_kept = zeros.index_add(0, parent, f * c[child])
                iou = zeros.index_add(0, parent, below) @ self.U + self.b
            i, o, u = iou.chunk(3, 1)
            c_new = torch.sigmoid(i) * torch.tanh(u) + c_kept
            h_new = torch.sigmoid(o) * torch.tanh(c_new)
            outputs.append(h_new)
            h, c = (h_new, c_new) if level == 0 else (torch.cat([h[kept], h_new]), torch.cat([c[kept], c_new]))
        return torch.cat(outputs)[batch.order] @ self.output_W + self.output_b


# [dgl]
class MessagePassing(ChildSum):
    """DGL's: messages go up the batched trees in topological order."""

    def message(self, edges):
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(self, nodes):
        hs, cs = nodes.mailbox["h"], nodes.mailbox["c"]  # [vertices, children, h]
        f = torch.sigmoid(hs @ self.Uf + self.bf)
        return {"iou": hs.sum(1) @ self.U, "c": (f * cs).sum(1)}

    def apply(self, nodes):
        i, o, u = (nodes.data["iou"] + self.b).chunk(3, 1)
        c = torch.sigmoid(i) * torch.tanh(u) + nodes.data["c"]
        return {"h": torch.sigmoid(o) * torch.tanh(c), "c": c}

    @staticmethod
    def prepare(batch):
        batch.graph = dgl.graph(tuple(zip(*batch.edges)), num_nodes=len(batch.children))

    def forward(self, batch):
        g = batch.graph
        iou = torch.zeros(g.num_nodes(), 3 * len(self.bf))
        g.ndata["iou"] = iou.index_copy(0, batch.leaves, self.embed(batch.words[batch.leaves]) @ self.W)
        g.ndata["h"] = g.ndata["c"] = torch.zeros(g.num_nodes(), len(self.bf))
        dgl.prop_nodes_topo(g, self.message, self.reduce, apply_node_func=self.apply)
        return g.ndata.pop("h") @ self.output_W + self.output_b
# [end]
