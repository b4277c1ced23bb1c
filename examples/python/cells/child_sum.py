"""A child-sum Tree-LSTM on the Stanford Sentiment Treebank: words at the leaves, a class and a loss at every vertex.

Tai, Socher and Manning, Improved Semantic Representations From Tree-Structured LSTM Networks, ACL 2015.
Run: python examples/python/cells/child_sum.py path/to/sst [SAMPLES [EPOCHS]]
"""

import sys
import timeit
from functools import cache

import torch
from torch import Tensor, nn

import cavs
from cavs.torch import batched


class TreeLSTM(nn.Module):
    def __init__(self, d: int, h: int, classes: int) -> None:
        super().__init__()
        self.iou_x, self.iou_h = nn.Linear(d, 3 * h), nn.Linear(h, 3 * h, bias=False)
        self.f_x, self.f_h = nn.Linear(d, h), nn.Linear(h, h, bias=False)
        self.top = nn.Linear(h, classes)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:  # h, c: [children, hidden]
        i, o, u = (self.iou_x(x) + self.iou_h(h.sum(0))).chunk(3)
        f = torch.sigmoid(self.f_x(x) + self.f_h(h))
        c = torch.sigmoid(i) * torch.tanh(u) + (f * c).sum(0)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c, self.top(h)


def before(cell: TreeLSTM, tree: cavs.Graphs, x: Tensor) -> Tensor:
    """Computes the logits of the vertices of a tree by recursion, one vertex at a time."""
    begin, children = tree.child_offsets.tolist(), tree.children.tolist()

    @cache
    def visit(v: int) -> tuple[Tensor, Tensor, Tensor]:
        below = [visit(child)[:2] for child in children[begin[v]:begin[v + 1]]]
        h, c = map(torch.stack, zip(*below)) if below else torch.zeros(2, 0, cell.top.in_features)
        h, c, logits = cell(x[v], h, c)
        return h, c, logits

    return torch.stack([visit(v)[2] for v in range(tree.vertices)])


def main(folder: str, samples: int = 1000, epochs: int = 3, d: int = 64, h: int = 64) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = cavs.load_data(f"sst:{folder}", limit=samples)
    embedding, cell = nn.Embedding(1 + data.rows("word"), d, padding_idx=0, sparse=True), TreeLSTM(d, h, data.classes)
    after = batched(cell, {"h": h, "c": h, "logits": data.classes}, x=d)
    optimizer = torch.optim.Adagrad([*embedding.parameters(), *after.parameters()], lr=0.05)

    def logits(graphs: cavs.Graphs, recursive: bool = False) -> Tensor:
        x = embedding(1 + torch.from_numpy(graphs["word"]))  # zeros at a vertex without a word
        trees = enumerate(x.split(torch.from_numpy(graphs.sample_begin).diff().tolist()))
        return torch.cat([before(cell, graphs[i], x) for i, x in trees]) if recursive else after(graphs, x=x)["logits"]

    def train(graphs: cavs.Graphs, recursive: bool = False) -> float:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(logits(graphs, recursive), torch.from_numpy(graphs["label"]).long())
        loss.backward()
        optimizer.step()
        return loss.item()

    few = data.train[:25]
    torch.testing.assert_close(logits(few), logits(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(data.train[s.tolist()]) for s in torch.randperm(len(data.train)).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    right = logits(data.dev).argmax(1).numpy() == data.dev["label"]
    print(f"accuracy: {right.mean():.1%} of new vertices, {right[data.dev.sample_begin[:-1]].mean():.1%} of their roots")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} trees/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
