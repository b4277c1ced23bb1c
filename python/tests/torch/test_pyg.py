"""Graphs of the installed PyTorch Geometric, with tensors."""

from __future__ import annotations

import importlib
import unittest
import warnings
from typing import Any

import numpy as np
import torch
from cells import WIDTH, WORDS, child_sum_model

import cavs
import cavs.torch

try:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its use of PyTorch
        pyg: Any = importlib.import_module("torch_geometric.data")
except ModuleNotFoundError as error:
    raise unittest.SkipTest(f"PyTorch Geometric is not installed: {error}") from None


def samples() -> list[Any]:
    """Trees of 3 and 5 vertices, whose last one is the root."""
    torch.manual_seed(1)
    made = []
    for child, parent in (([0, 1], [2, 2]), ([0, 1, 2, 3], [2, 2, 4, 4])):
        n = len(child) + 1
        made.append(pyg.Data(edge_index=torch.tensor([child, parent]), x=torch.randn(n, WIDTH, requires_grad=True),
                             edge_attr=torch.randn(n - 1, 2), y=torch.tensor([n % 3]), word=torch.arange(n)))
    return made


class PyTorchGeometric(unittest.TestCase):
    def check(self, graphs: cavs.Graphs) -> None:
        given = samples()
        self.assertEqual((len(graphs), graphs.vertices, graphs.edges), (2, 8, 6))
        self.assertEqual((graphs.ports, graphs.edge_ports), (["label", "x"], ["edge_attr"]))
        np.testing.assert_array_equal(graphs.sample_begin, [0, 3, 8])
        np.testing.assert_array_equal(graphs.children, [0, 1, 0, 1, 2, 3])
        np.testing.assert_array_equal(graphs["x"], np.concatenate([data.x.detach().numpy() for data in given]))
        np.testing.assert_array_equal(graphs["edge_attr"], np.concatenate([data.edge_attr.numpy() for data in given]))
        np.testing.assert_array_equal(graphs["label"], [-1, -1, 0, -1, -1, -1, -1, 2])

    def test_data_with_tensors(self) -> None:
        self.check(cavs.from_pyg(samples()))
        one = cavs.from_pyg(samples()[1])
        self.assertEqual((len(one), one.vertices), (1, 5))

    def test_a_batch(self) -> None:
        self.check(cavs.from_pyg(pyg.Batch.from_data_list(samples())))

    def test_a_data_set(self) -> None:
        class Trees(pyg.InMemoryDataset):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                self.data, self.slices = self.collate(samples())

        self.check(cavs.from_pyg(Trees()))

    def test_other_types_of_numbers(self) -> None:
        (data, _) = samples()
        data.x = data.x.double()
        self.assertEqual(cavs.from_pyg(data)["x"].dtype, np.float32)
        data.x = data.x.bfloat16()
        with self.assertRaisesRegex(cavs.Error, r"sample 0: x cannot be read as an array: .*BFloat16.*\.float\(\)"):
            cavs.from_pyg(data)
        data.x, data.edge_index = None, data.edge_index.float()
        with self.assertRaisesRegex(cavs.Error, r"sample 0: edge_index is float32 \[2, 2\]; expected integers \[2, edges\]"):
            cavs.from_pyg(data)

    def test_a_module_reads_them(self) -> None:
        """Words come from a custom member, and rows have a gradient in PyTorch."""
        given = samples()
        words = [pyg.Data(edge_index=data.edge_index, x=data.word % WORDS) for data in given]
        batch = cavs.torch.Batch(cavs.from_pyg(words, names={"x": "word"}))
        x = torch.cat([data.x for data in given])
        cavs.torch.Module(child_sum_model(), ["h"])(batch, x=x)["h"][batch.roots].sum().backward()
        for data in given:
            self.assertGreater(float(data.x.grad.abs().min()), 0)


if __name__ == "__main__":
    unittest.main()
