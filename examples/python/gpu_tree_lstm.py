"""Trains a cavs Tree-LSTM in a PyTorch training loop, on a GPU if there is one.

Workers of a DataLoader make batches, and a thread plans them while the GPU computes. The loop waits for the GPU once
per epoch, to print the loss. Run: python examples/python/gpu_tree_lstm.py [epochs]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

import cavs
import cavs.torch

EMBEDDING, HIDDEN = 32, 32
Item = tuple[cavs.torch.Batch, Tensor, Tensor]


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


class Trees(Dataset[int]):
    """A data set of sample numbers, from which collate() makes batches."""

    def __init__(self, graphs: cavs.Graphs) -> None:
        self.graphs = graphs

    def __len__(self) -> int:
        return len(self.graphs)

    def __getitem__(self, sample: int) -> int:
        return sample

    def collate(self, samples: list[int]) -> Item:
        """A batch of these samples, the word of each vertex (from 1; 0 if none), and its class (-1 if none)."""
        batch = cavs.torch.Batch(self.graphs[samples])
        words, labels = (torch.from_numpy(batch.graphs[port]).long() for port in ("word", "label"))
        return batch, 1 + words, labels


def planned(items: Iterable[Item], net: torch.nn.Module, device: torch.device) -> Iterator[Item]:
    """The items on the device. Each is planned while the previous item is computed."""

    def prepare(item: Item) -> Item:
        batch, words, labels = item
        return (batch.prepare(net).to(device, non_blocking=True), words.to(device, non_blocking=True),
                labels.to(device, non_blocking=True))

    with ThreadPoolExecutor(1) as thread:
        coming = None
        for item in items:
            previous, coming = coming, thread.submit(prepare, item)
            if previous is not None:
                yield previous.result()
        if coming is not None:
            yield coming.result()


def main() -> None:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    data = cavs.load_data("random-trees:train=400,test=100,leaves=8,vocabulary=100")
    net = Classifier(data).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.01, weight_decay=0.01)
    trees = Trees(data.train)
    loader: Iterable[Item] = DataLoader(trees, batch_size=25, shuffle=True, collate_fn=trees.collate, num_workers=2,
                                        pin_memory=device.type == "cuda")

    for epoch in range(epochs):
        start, total = time.perf_counter(), torch.zeros((), device=device)
        net.train()
        for batch, words, labels in planned(loader, net, device):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(net(batch, words), labels, ignore_index=-1)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            optimizer.step()
            total += loss.detach() * len(batch)
        print(f"epoch {epoch + 1}: loss {float(total) / len(data.train):.4f}, {time.perf_counter() - start:.2f} s, {device}")

    net.eval()
    batch, words, labels = Trees(data.dev).collate(list(range(len(data.dev))))
    with torch.no_grad():
        predicted = net(batch.to(device), words.to(device)).argmax(1).cpu()
    right = float((predicted == labels)[labels >= 0].float().mean())
    print(f"accuracy at the vertices of new trees: {100 * right:.1f} %")


if __name__ == "__main__":
    main()
