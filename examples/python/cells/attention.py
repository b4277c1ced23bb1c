"""Attention over children: computes ListOps expressions such as (MAX 2 9 (MIN 4 7)), with a query at each operator.

Each operator attends to its arguments with nn.MultiheadAttention. The expressions are generated, with a label at every
vertex. Nangia and Bowman, ListOps: A Diagnostic Dataset for Latent Tree Learning, NAACL 2018.
Run: python examples/python/cells/attention.py [SAMPLES [EPOCHS]]
"""

import sys
import timeit
from functools import cache

import torch
from torch import Tensor, nn

import cavs
from cavs.torch import Index, batched


class Attention(nn.Module):
    def __init__(self, words: int, classes: int, h: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, h)
        self.attention = nn.MultiheadAttention(h, num_heads=4)
        self.mlp = nn.Sequential(nn.LayerNorm(h), nn.Linear(h, 2 * h), nn.GELU(), nn.Linear(2 * h, h))
        self.top = nn.Linear(h, classes)

    def forward(self, word: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:  # h: [children, hidden]
        x = self.embedding(word)
        if len(h) > 0:
            x = x + self.attention(x[None], h, h, need_weights=False)[0][0]
            x = x + self.mlp(x)
        return x, self.top(x)


def before(cell: Attention, tree: cavs.Graphs) -> Tensor:
    """Computes the logits of the vertices of a tree by recursion, one vertex at a time."""
    words, begin, children = tree["word"].tolist(), tree.child_offsets.tolist(), tree.children.tolist()

    @cache
    def visit(v: int) -> tuple[Tensor, Tensor]:
        below = [visit(child)[0] for child in children[begin[v]:begin[v + 1]]]
        h, logits = cell(torch.tensor(words[v]), torch.stack(below) if below else torch.zeros(0))
        return h, logits

    return torch.stack([visit(v)[1] for v in range(tree.vertices)])


def main(samples: int = 2000, epochs: int = 8, h: int = 64) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = cavs.load_data(f"listops:train={samples},test=200,length=30,arguments=5,depth=4")
    cell = Attention(data.rows("word"), data.classes, h)
    after = batched(cell, {"h": h, "logits": data.classes}, word=Index())
    optimizer = torch.optim.Adam(after.parameters(), lr=0.003)

    def logits(graphs: cavs.Graphs, recursive: bool = False) -> Tensor:
        return torch.cat([before(cell, graphs[i]) for i in range(len(graphs))]) if recursive else after(graphs)["logits"]

    def train(graphs: cavs.Graphs, recursive: bool = False) -> float:
        optimizer.zero_grad()
        labels = torch.from_numpy(graphs["label"]).long()  # -1 at digits
        loss = nn.functional.cross_entropy(logits(graphs, recursive), labels, ignore_index=-1)
        loss.backward()
        optimizer.step()
        return loss.item()

    few = data.train[:25]
    torch.testing.assert_close(logits(few), logits(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(data.train[s.tolist()]) for s in torch.randperm(len(data.train)).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    labels = data.dev["label"]
    right = (logits(data.dev).argmax(1).numpy() == labels)[labels >= 0]
    print(f"accuracy: {right.mean():.1%} of the operators of new expressions")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} expressions/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
