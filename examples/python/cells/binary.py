"""A binary Tree-LSTM on the Stanford Sentiment Treebank, with one cell for leaves and another for inner vertices.

Tai et al., Tree-Structured LSTM Networks, ACL 2015. Run: python examples/python/cells/binary.py FOLDER [SAMPLES [EPOCHS]]
"""

import sys
import timeit
from functools import cache

import torch
from torch import Tensor, nn

import cavs
from cavs.torch import Child, batched


class Leaf(nn.Module):
    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        o, c = x.chunk(2)
        return torch.sigmoid(o) * torch.tanh(c), c


class Inner(nn.Module):
    def __init__(self, h: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * h, 5 * h)

    def forward(self, left: tuple[Tensor, Tensor], right: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        i, f_left, f_right, o, u = self.gates(torch.cat([left[0], right[0]])).chunk(5)
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f_left) * left[1] + torch.sigmoid(f_right) * right[1]
        return torch.sigmoid(o) * torch.tanh(c), c


def before(leaf: Leaf, inner: Inner, tree: cavs.Graphs, x: Tensor) -> Tensor:
    """Computes the states h of the vertices of a tree by recursion, one vertex at a time."""
    begin, children = tree.child_offsets.tolist(), tree.children.tolist()

    @cache
    def visit(v: int) -> tuple[Tensor, Tensor]:
        below = [visit(child) for child in children[begin[v]:begin[v + 1]]]
        h, c = inner(*below) if below else leaf(x[v])
        return h, c

    return torch.stack([visit(v)[0] for v in range(tree.vertices)])


def main(folder: str, samples: int = 1000, epochs: int = 3, h: int = 64) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = cavs.load_data(f"sst:{folder}", limit=samples)
    word, leaf, inner, top = nn.Embedding(data.rows("word"), 2 * h, sparse=True), Leaf(), Inner(h), nn.Linear(h, data.classes)
    children = {"left": (Child(0, "h"), Child(0, "c")), "right": (Child(1, "h"), Child(1, "c"))}
    after = batched({"leaf": (leaf, {"x": 2 * h}), "inner": (inner, children)}, {"h": h, "c": h})
    optimizer = torch.optim.Adagrad(nn.ModuleList([word, after, top]).parameters(), lr=0.05)

    def states(graphs: cavs.Graphs, recursive: bool = False) -> Tensor:
        x = word(torch.from_numpy(graphs["word"]).clamp(min=0))  # not read at inner vertices
        trees = enumerate(x.split(torch.from_numpy(graphs.sample_begin).diff().tolist()))
        return torch.cat([before(leaf, inner, graphs[i], x) for i, x in trees]) if recursive else after(graphs, x=x)["h"]

    def train(graphs: cavs.Graphs, recursive: bool = False) -> float:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(top(states(graphs, recursive)), torch.from_numpy(graphs["label"]).long())
        loss.backward()
        optimizer.step()
        return loss.item()

    few = data.train[:25]
    torch.testing.assert_close(states(few), states(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(data.train[s.tolist()]) for s in torch.randperm(len(data.train)).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    right = top(states(data.dev)).argmax(1).numpy() == data.dev["label"]
    print(f"accuracy: {right.mean():.1%} of new vertices, {right[data.dev.sample_begin[:-1]].mean():.1%} of their roots")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} trees/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
