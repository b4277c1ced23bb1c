"""Adaptive depth: the data determine how many times a cell is applied to the state of a vertex, here in trees of dials.

A dial is turned 0 to 5 times; graphs have one vertex per turn. Graves, Adaptive Computation Time for RNNs, 2016.
Run: python examples/python/cells/adaptive.py [SAMPLES [EPOCHS]]
"""

import random
import sys
import timeit
from typing import Any

import torch
from gallery_data import Dial, random_dial
from torch import Tensor, nn

import cavs
from cavs.torch import Batch, Child, Index, batched


class Start(nn.Module):
    def __init__(self, h: int) -> None:
        super().__init__()
        self.digit, self.below, self.mlp = nn.Embedding(10, h), nn.Linear(h, h), nn.Linear(h, h)

    def forward(self, digit: Tensor, h: Tensor) -> Tensor:  # h: [children, hidden]
        return torch.tanh(self.mlp(torch.relu(self.digit(digit) + torch.relu(self.below(h)).sum(0))))


def before(start: Start, turn: nn.Sequential, dial: Dial) -> Tensor:
    """Computes the state of a dial by recursion, one dial at a time, with a loop over its turns."""
    below = [before(start, turn, child) for child in dial.below]
    h: Tensor = start(torch.tensor(dial.digit), torch.stack(below) if below else torch.zeros(0, start.mlp.in_features))
    for _ in range(dial.turns):
        h = turn(h)
    return h


def unrolled(dial: Dial) -> dict[str, Any]:
    """The last turn of a dial; the child of a turn is the turn before. The children of the first are the dials below."""
    step = {"type": "start", "digit": dial.digit, "children": [unrolled(child) for child in dial.below]}
    for _ in range(dial.turns):
        step = {"type": "turn", "children": [step]}
    return step


def main(samples: int = 2000, epochs: int = 10, h: int = 64) -> None:
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    dials = [random_dial() for _ in range(samples + 500)]
    graphs = cavs.from_objects(map(unrolled, dials), type="type", ports={"digit": "digit"})
    values = torch.tensor([dial.value for dial in dials])
    start, top = Start(h), nn.Linear(h, 10)
    turn = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, h), nn.Tanh())
    after = batched({"start": (start, {"digit": Index()}), "turn": (turn, {"input": Child(0, "h")})}, {"h": h})
    optimizer = torch.optim.Adam([*after.parameters(), *top.parameters()], lr=0.002)

    def states(samples: Tensor, recursive: bool = False) -> Tensor:
        batch = Batch(graphs, samples)
        return torch.stack([before(start, turn, dials[i]) for i in samples]) if recursive else after(batch)["h"][batch.roots]

    def train(samples: Tensor, recursive: bool = False) -> float:
        loss = nn.functional.cross_entropy(top(states(samples, recursive)), values[samples])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    few, new = torch.arange(25), torch.arange(samples, len(dials))
    torch.testing.assert_close(states(few), states(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(batch) for batch in torch.randperm(samples).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    print(f"accuracy: {(top(states(new)).argmax(1) == values[new]).float().mean():.1%} of new trees")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} trees/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
