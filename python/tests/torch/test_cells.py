"""Cells that were written for one vertex equal their recursion."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from cell_cases import CASES, Case
from torch import Tensor, nn
from vertex_recursion import Arguments, largest_differences, random_graphs

import cavs
import cavs.torch


def made(case: Case) -> tuple[cavs.torch.Batched, dict[str, Arguments]]:
    """The module of a case, and the arguments of the cell for each type."""
    torch.manual_seed(1)
    cell = case.make()
    if case.leaf is None:
        return cavs.torch.batched(cell, case.returns, method=case.method, **case.arguments), {"": case.arguments}
    cells = {"leaf": (case.leaf[0](), case.leaf[1]), "inner": (cell, case.arguments)}
    return cavs.torch.batched(cells, case.returns), {kind: specs for kind, (_, specs) in cells.items()}


def graphs_of(case: Case, kind: str, seed: int) -> cavs.Graphs:
    return random_graphs(
        kind, seed, most=case.most, ports=case.ports, edge_ports=case.edge_ports, types=case.leaf is not None
    )


def given_of(case: Case, vertices: int, seed: int) -> dict[str, Tensor]:
    random = torch.Generator().manual_seed(seed)
    return {
        name: torch.randint(of, (vertices,), generator=random)
        if isinstance(of, int)
        else torch.randn(vertices, *of, generator=random)
        for name, of in case.given.items()
    }


class SameAsRecursion(unittest.TestCase):
    def test_cells(self) -> None:
        for case in CASES:
            with self.subTest(case.name):
                net, arguments = made(case)
                net.eval()
                for seed, kind in enumerate(case.graphs):
                    graphs = graphs_of(case, kind, seed)
                    given = given_of(case, graphs.vertices, seed)
                    found = largest_differences(net, arguments, case.returns, graphs, given, case.method)
                    worst = max(found, key=found.__getitem__)
                    self.assertLess(found[worst], 1e-5, f"{worst} on {kind}")


if __name__ == "__main__":
    unittest.main()
