"""Attention over children: the values of ListOps, such as (MAX 2 9 (MIN 4 7)), by a query at each operator.

Each operator attends with nn.MultiheadAttention to its arguments. The expressions are generated, with a label at every
vertex. Nangia and Bowman, ListOps: A Diagnostic Dataset for Latent Tree Learning, NAACL 2018.
Run: python examples/python/cells/attention.py [SAMPLES [EPOCHS]]
"""

import sys
import timeit

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


def before(cell: Attention, graphs: cavs.Graphs) -> Tensor:
    """The logits of all vertices: the recursion visits one vertex at a time."""
    words, begin, children = graphs["word"].tolist(), graphs.child_offsets.tolist(), graphs.children.tolist()
    found: dict[int, tuple[Tensor, Tensor]] = {}

    def visit(v: int, root: int) -> Tensor:
        below = [visit(root + child, root) for child in children[begin[v]:begin[v + 1]]]
        found[v] = cell(torch.tensor(words[v]), torch.stack(below) if below else torch.zeros(0))
        return found[v][0]

    for root in graphs.sample_begin[:-1].tolist():
        visit(root, root)
    return torch.stack([found[v][1] for v in range(graphs.vertices)])


def main(samples: int = 1000, epochs: int = 6, h: int = 64) -> None:
    torch.manual_seed(1)
    data = cavs.load_data(f"listops:train={samples},test=200,length=30,arguments=5,depth=4")
    cell = Attention(data.rows("word"), data.classes, h)
    after = batched(cell, {"h": h, "logits": data.classes}, word=Index())
    optimizer = torch.optim.Adam(after.parameters(), lr=0.003)

    def train(graphs: cavs.Graphs, recursive: bool = False) -> float:
        optimizer.zero_grad()
        logits, labels = before(cell, graphs) if recursive else after(graphs)["logits"], torch.from_numpy(graphs["label"])
        loss = nn.functional.cross_entropy(logits, labels.long(), ignore_index=-1)  # digits have the label -1
        loss.backward()
        optimizer.step()
        return loss.item()

    few = data.train[:10]
    torch.testing.assert_close(after(few)["logits"], before(cell, few), rtol=1e-5, atol=1e-5)
    for epoch in range(epochs):
        losses = [train(data.train[s.tolist()]) for s in torch.randperm(len(data.train)).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    labels = data.dev["label"]
    right = (after(data.dev)["logits"].argmax(1).numpy() == labels)[labels >= 0]
    print(f"accuracy: {right.mean():.1%} of the operators of new expressions")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} expressions/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
