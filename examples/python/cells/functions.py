"""Predicts the verb (get, set, is, ...) at the start of the names of functions of Python's standard library.

The trees are objects of the module ast, with the name hidden. Files are shuffled; test functions are in the last files.
Nothing is downloaded. The task is from Alon, Zilberstein, Levy and Yahav, code2vec, POPL 2019.
Run: python examples/python/cells/functions.py [SAMPLES [EPOCHS]]
"""

import ast
import random
import sys
import timeit
from collections import Counter

import torch
from gallery_data import VERBS, named_functions, nodes_below, words_of
from torch import Tensor, nn

import cavs
from cavs.torch import Batch, Index, batched


class TreeGRU(nn.Module):
    def __init__(self, words: int, h: int) -> None:
        super().__init__()
        self.word, self.gru, self.top = nn.Embedding(words, h), nn.GRUCell(h, h), nn.Linear(h, len(VERBS))

    def forward(self, kind: Tensor, name: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:  # h: [children, hidden]
        h = self.gru(self.word(kind) + self.word(name), h.sum(0))
        return h, self.top(h)


def before(cell: TreeGRU, node: ast.AST, number: Counter[str]) -> tuple[Tensor, Tensor]:
    """Computes the state and the logits of a node by recursion, one node at a time."""
    h = [before(cell, child, number)[0] for child in nodes_below(node)]
    kind, name = (torch.tensor(number[word]) for word in words_of(node))
    state, logits = cell(kind, name, torch.stack(h) if h else torch.zeros(0, cell.top.in_features))
    return state, logits


def main(samples: int = 1500, epochs: int = 5, h: int = 64) -> None:
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    verbs, functions = named_functions(samples + samples // 3)
    counts = Counter(word for function in functions[:samples] for node in ast.walk(function) for word in words_of(node))
    number = Counter({word: 1 + i for i, (word, count) in enumerate(counts.most_common()) if count > 3})  # 0: others
    graphs = cavs.from_objects(functions, children=nodes_below, ports={
        "kind": lambda node: number[words_of(node)[0]], "name": lambda node: number[words_of(node)[1]]})
    verb = torch.tensor(verbs)
    cell = TreeGRU(1 + len(number), h)
    after = batched(cell, {"h": h, "logits": len(VERBS)}, kind=Index(), name=Index())
    optimizer = torch.optim.Adam(after.parameters(), lr=0.003)

    def logits(samples: Tensor, recursive: bool = False) -> Tensor:
        batch, states = Batch(graphs, samples), (before(cell, functions[i], number) for i in samples)
        return torch.stack([logits for _, logits in states]) if recursive else after(batch)["logits"][batch.roots]

    def train(samples: Tensor, recursive: bool = False) -> float:
        loss = nn.functional.cross_entropy(logits(samples, recursive), verb[samples])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    few, new = torch.arange(10), torch.arange(samples, len(functions))
    torch.testing.assert_close(logits(few), logits(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(batch) for batch in torch.randperm(samples).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    accuracy, share = ((guess == verb[new]).float().mean() for guess in (logits(new).argmax(1), torch.zeros(())))
    print(f"accuracy: {accuracy:.1%} of new functions; {share:.1%} of them begin with {VERBS[0]}")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} functions/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
