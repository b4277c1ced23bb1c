"""Predicts the value of each gate of Boolean circuits: directed acyclic graphs, since gates share inputs.

The recursion remembers the gates that it has visited, to visit shared gates only once. The circuits are random, with a
loss at every gate. Shuai et al., DAG-Recurrent Neural Networks For Scene Labeling, CVPR 2016.
Run: python examples/python/cells/circuits.py [SAMPLES [EPOCHS]]
"""

import random
import sys
import timeit

import torch
from gallery_data import Gate, random_circuit
from torch import Tensor, nn

import cavs
from cavs.torch import Batch, Index, batched


class GateCell(nn.Module):
    def __init__(self, h: int) -> None:
        super().__init__()
        self.kind, self.below, self.top = nn.Embedding(5, h), nn.Linear(h, h), nn.Linear(h, 2)
        self.mlp = nn.Sequential(nn.Linear(h, h), nn.ReLU(), nn.Linear(h, h), nn.Tanh())

    def forward(self, kind: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """h: [inputs, hidden]."""
        h = self.mlp(self.kind(kind) + self.below(h).sum(0))
        return h, self.top(h)


def before(cell: GateCell, gate: Gate, seen: dict[Gate, tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Computes the state and the logits of a gate by recursion, one gate at a time, each gate once."""
    if gate not in seen:
        h = [before(cell, below, seen)[0] for below in gate.inputs]
        seen[gate] = cell(torch.tensor(gate.kind), torch.stack(h) if h else torch.zeros(0, cell.top.in_features))
    return seen[gate]


def main(samples: int = 1000, epochs: int = 6, h: int = 64) -> None:
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    circuits = [random_circuit(random.randint(5, 40)) for _ in range(samples + 200)]
    graphs = cavs.from_objects(circuits, children="inputs", ports={"kind": "kind", "value": "value"})
    values = torch.from_numpy(graphs["value"]).long()

    cell = GateCell(h)
    after = batched(cell, {"h": h, "logits": 2}, kind=Index())
    optimizer = torch.optim.Adam(after.parameters(), lr=0.002)

    def train(samples: Tensor, recursive: bool = False) -> float:
        if recursive:
            seen: dict[Gate, tuple[Tensor, Tensor]] = {}
            for i in samples:
                before(cell, circuits[i], seen)
            logits, truth = torch.stack([logits for _, logits in seen.values()]), torch.tensor([gate.value for gate in seen])
        else:
            batch = Batch(graphs, samples)
            logits, truth = after(batch)["logits"], values[batch.rows]
        loss = nn.functional.cross_entropy(logits, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    few, first, new = torch.arange(25), Batch(graphs, range(25)), Batch(graphs, range(samples, len(circuits)))
    recursive = torch.stack([before(cell, circuits[i], {})[1] for i in few])
    torch.testing.assert_close(after(first)["logits"][first.roots], recursive)
    for epoch in range(epochs):
        losses = [train(batch) for batch in torch.randperm(samples).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    right = (after(new)["logits"].argmax(1) == values[new.rows]).float()
    print(f"accuracy: {right.mean():.1%} of the gates of new circuits, {right[new.roots].mean():.1%} of the last ones")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} circuits/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
