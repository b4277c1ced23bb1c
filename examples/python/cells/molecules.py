"""Predicts the number of carbonyl groups (C=O) of a molecule, from its atoms and the kinds of its bonds.

The molecules are random trees of atoms with the right valences, so the answer is exact, and the atoms alone do not
determine it. Messages that depend on the bond: Gilmer et al., Neural Message Passing for Quantum Chemistry, ICML 2017.
Run: python examples/python/cells/molecules.py [SAMPLES [EPOCHS]]
"""

import random
import sys
import timeit

import torch
from gallery_data import Atom, random_molecule
from torch import Tensor, nn

import cavs
from cavs.torch import Batch, EdgeIndex, Index, batched


class Message(nn.Module):
    def __init__(self, h: int) -> None:
        super().__init__()
        self.atom, self.bond = nn.Embedding(4, h), nn.Embedding(4, h)
        self.below, self.gru, self.top = nn.Linear(h, h), nn.GRUCell(h, h), nn.Linear(h, 1)

    def forward(self, atom: Tensor, bond: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """bond: [children], h: [children, hidden]."""
        x = self.atom(atom)
        messages = torch.relu(self.bond(bond) + self.below(h) + x)
        h = self.gru(messages.sum(0), x)
        return h, self.top(h)


def before(cell: Message, atom: Atom) -> tuple[Tensor, Tensor]:
    """Computes the state of an atom and the count from it on by recursion, one atom at a time."""
    bonds = torch.tensor(atom.bonds, dtype=torch.long)
    h = [before(cell, below)[0] for below in atom.below]
    state, count = cell(torch.tensor(atom.kind), bonds, torch.stack(h) if h else torch.zeros(0, cell.gru.hidden_size))
    return state, count


def main(samples: int = 2000, epochs: int = 8, h: int = 64) -> None:
    random.seed(1)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    molecules = [random_molecule() for _ in range(samples + 500)]
    carbonyls = torch.tensor([[float(molecule.carbonyls())] for molecule in molecules])
    graphs = cavs.from_objects(molecules, children="below", ports={"atom": "kind"}, edge_ports={"bond": "bonds"})

    cell = Message(h)
    after = batched(cell, {"h": h, "count": 1}, atom=Index(), bond=EdgeIndex())
    optimizer = torch.optim.Adam(after.parameters(), lr=0.002)

    def counts(samples: Tensor, recursive: bool = False) -> Tensor:
        batch, states = Batch(graphs, samples), (before(cell, molecules[i]) for i in samples)
        return torch.stack([count for _, count in states]) if recursive else after(batch)["count"][batch.roots]

    def train(samples: Tensor, recursive: bool = False) -> float:
        loss = nn.functional.mse_loss(counts(samples, recursive), carbonyls[samples])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    few, new = torch.arange(25), torch.arange(samples, len(molecules))
    torch.testing.assert_close(counts(few), counts(few, recursive=True))
    for epoch in range(epochs):
        losses = [train(batch) for batch in torch.randperm(samples).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    print(f"accuracy: {(counts(new).round() == carbonyls[new]).float().mean():.1%} of new molecules")
    slow, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in (True, False))
    print(f"training: {slow:.0f} molecules/s before, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
