"""Classifies trees with a cavs Tree-LSTM inside a PyTorch model.

The embedding, the linear layers, the loss and AdamW are PyTorch's. The whole model is compiled as one graph.
Run: python examples/python/torch_tree_lstm.py [epochs]
"""

from __future__ import annotations

import sys
import time

import torch
from torch import Tensor

import cavs
import cavs.torch

EMBEDDING, HIDDEN = 32, 32


def tree_lstm(types: list[str]) -> cavs.Model:
    """The child-sum Tree-LSTM of Tai et al., 2015, with the input rows "x"."""
    m = cavs.Model(seed=1)
    d, h = EMBEDDING, HIDDEN
    W, U, b = m.parameter("W", (d, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h)
    Wf, Uf, bf = m.parameter("Wf", (d, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h)

    def cell(v: cavs.Vertex) -> None:
        x = v.pull("x", d)
        hs, cs = v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        v.scatter(c=c, h=cavs.sigmoid(o) * cavs.tanh(c))

    for name in types:
        m.vertex_function(name)(cell)
    return m


class Classifier(torch.nn.Module):
    """Computes logits of every vertex from the words at the leaves."""

    def __init__(self, data: cavs.Dataset) -> None:
        super().__init__()
        self.embedding = torch.nn.Embedding(1 + data.rows("word"), EMBEDDING, padding_idx=0)
        self.encoder = torch.nn.Sequential(torch.nn.Linear(EMBEDDING, EMBEDDING), torch.nn.Tanh(), torch.nn.Dropout(0.1))
        self.tree = cavs.torch.Module(tree_lstm(data.train.type_names), outputs=["h"])
        self.top = torch.nn.Linear(HIDDEN, data.classes)

    def forward(self, batch: cavs.torch.Batch, words: Tensor) -> Tensor:
        logits: Tensor = self.top(self.tree(batch, x=self.encoder(self.embedding(words)))["h"])
        return logits


def words_and_labels(graphs: cavs.Graphs) -> tuple[Tensor, Tensor]:
    """The word of each vertex (from 1; 0 if none), and its class (-1 if none)."""
    return 1 + torch.from_numpy(graphs["word"]).long(), torch.from_numpy(graphs["label"]).long()


def main() -> None:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    torch.manual_seed(1)
    data = cavs.load_data("random-trees:train=400,test=100,leaves=8,vocabulary=100")
    net = Classifier(data)
    step = torch.compile(net, fullgraph=True, dynamic=True, backend="aot_eager")
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)
    words, labels = words_and_labels(data.train)

    for epoch in range(epochs):
        start, total = time.perf_counter(), 0.0
        net.train()
        for samples in torch.randperm(len(data.train)).split(25):
            batch = cavs.torch.Batch(data.train, samples)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(step(batch, words[batch.rows]), labels[batch.rows],
                                                     ignore_index=-1)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            total += float(loss) * len(samples)
        print(f"epoch {epoch + 1}: loss {total / len(data.train):.4f}, {time.perf_counter() - start:.2f} s")

    net.eval()
    words, labels = words_and_labels(data.dev)
    with torch.no_grad():
        batch = cavs.torch.Batch(data.dev)
        predicted = net(batch, words).argmax(1)
    right = float((predicted == labels)[labels >= 0].float().mean())
    print(f"accuracy at the vertices of new trees: {100 * right:.1f} %")


if __name__ == "__main__":
    main()
