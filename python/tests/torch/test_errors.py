"""Wrong arguments raise errors that say what to do."""

from __future__ import annotations

import subprocess
import sys
import unittest

import numpy as np
import torch
from cells import WIDTH, child_sum_model, trees

import cavs
import cavs.torch


class Errors(unittest.TestCase):
    def setUp(self) -> None:
        self.net = cavs.torch.Module(child_sum_model())
        self.graphs = trees(3)
        self.x = torch.randn(self.graphs.vertices, WIDTH)

    def test_inputs(self) -> None:
        rows = self.graphs.vertices
        for x, message in ((self.x.double(), r"input 'x' has dtype torch.float64; .*\.float\(\)"),
                           (self.x.bfloat16(), r"input 'x' has dtype torch.bfloat16; .*\.float\(\)"),
                           (self.x[1:], rf"input 'x' has shape \[{rows - 1}, 5\]; expected \[{rows}, 5\], a row"),
                           (self.x[:, 1:], rf"input 'x' has shape \[{rows}, 4\]; expected \[{rows}, 5\]"),
                           (self.x.flatten(), r"input 'x' has shape \[\d+\]")):
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                self.net(self.graphs, x=x)
        for other in (3, self.x.numpy(), self.x.tolist()):
            with self.assertRaisesRegex(cavs.Error, "input 'x' is of type .*; expected a torch.Tensor"):
                self.net(self.graphs, x=other)
        for wrong in (None, "trees", self.x, [self.graphs]):
            with self.assertRaisesRegex(cavs.Error, "a module is called with a .*; expected a cavs.torch.Batch or cavs.Graphs"):
                self.net(wrong)
        with self.assertRaisesRegex(cavs.Error, "the outputs do not depend on an input 'y'; known: x"):
            self.net(self.graphs, y=self.x)

    def test_tensors_on_other_devices_are_named(self) -> None:
        with self.assertRaisesRegex(cavs.Error, r"input 'x' is on meta, the pass on cpu; .*: pass its \.cpu\(\)"):
            self.net(self.graphs, x=self.x.to("meta"))
        self.net.to("meta")
        with self.assertRaisesRegex(cavs.Error, r"parameter 'E' is on meta, .*: call the module's \.cpu\(\)"):
            self.net(self.graphs)

    def test_parameters_that_were_moved(self) -> None:
        with self.assertRaisesRegex(cavs.Error, r"parameter 'E' has dtype torch.float64; .*call the module's \.float\(\)"):
            self.net.double()(self.graphs)
        self.net.float()(self.graphs)
        with self.assertRaisesRegex(cavs.Error, r"parameter 'E' has dtype torch.bfloat16"):
            self.net.bfloat16()(self.graphs)
        self.net.float()
        square = self.net.get_parameter("Uf")
        square.data = square.data.t()
        with self.assertRaisesRegex(cavs.Error, r"parameter 'Uf' has strides .*\.contiguous\(\)"):
            self.net(self.graphs)
        square.data = torch.zeros(2, 2)
        with self.assertRaisesRegex(cavs.Error, r"parameter 'Uf' has shape \[2, 2\]; expected \[6, 6\], as the model"):
            self.net(self.graphs)

    def test_modules(self) -> None:
        with self.assertRaisesRegex(cavs.Error, "unknown output 'hh'.*known: .*h"):
            cavs.torch.Module(child_sum_model(), ["hh"])
        with self.assertRaisesRegex(cavs.Error, r"outputs is the text 'h'.*outputs=\['h'\]"):
            cavs.torch.Module(child_sum_model(), "h")
        with self.assertRaisesRegex(cavs.Error, "duplicate output 'h'"):
            cavs.torch.Module(child_sum_model(), ["h", "h"])
        with self.assertRaisesRegex(cavs.Error, "batchd"):
            cavs.torch.Module(child_sum_model(), engine="batchd")
        named = cavs.Model()
        W = named.parameter("forward", (2, 2))

        @named.vertex_function
        def vertex(v: cavs.Vertex) -> None:
            v.push(y=v.pull("x", 2) @ W)

        with self.assertRaisesRegex(cavs.Error, "parameter 'forward' has the name of an attribute"):
            cavs.torch.Module(named)

        data = cavs.load_data("random-trees:train=4,test=1,leaves=3")
        for thing in (None, cavs.Trainer(cavs.zoo("tree-lstm", vocabulary=1000), data).trained()):
            with self.assertRaisesRegex(cavs.Error, r"a module is made of a .*; expected a cavs.Model; .*Module.load\(path\)"):
                cavs.torch.Module(thing)  # type: ignore[arg-type]

    def test_batches(self) -> None:
        for samples in ([0.5], [True, False], "ab"):
            with self.assertRaisesRegex(cavs.Error, "samples is"):
                cavs.torch.Batch(self.graphs, samples)  # type: ignore[arg-type]
        with self.assertRaisesRegex(cavs.Error, "sample 3 is not in the graphs; expected 0 to 2"):
            cavs.torch.Batch(self.graphs, [0, 3])
        with self.assertRaisesRegex(cavs.Error, "no samples"):
            cavs.torch.Batch(self.graphs, [])
        with self.assertRaisesRegex(cavs.Error, "a batch is made of a ndarray; expected cavs.Graphs"):
            cavs.torch.Batch(np.zeros(3))  # type: ignore[arg-type]
        wrong = cavs.Graphs.from_arrays(np.array([0, 1]), np.array([0, 0]), np.array([], int),
                                        ports={"word": np.array([99]), "x": np.zeros((1, WIDTH), np.float32)})
        with self.assertRaisesRegex(cavs.Error, "'word' of vertex 0 of sample 0 is 99"):
            self.net(wrong)

    def test_importing_without_pytorch(self) -> None:
        """`import cavs` does not need PyTorch, and `import cavs.torch` says what to install."""
        program = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, NoTorch())
import cavs
assert "torch" not in sys.modules
try:
    import cavs.torch
except ModuleNotFoundError as error:
    print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "cavs.torch needs PyTorch 2.4 or newer; install it: pip install torch\n")

    def test_importing_cavs_leaves_pytorch_alone(self) -> None:
        program = "import sys, cavs; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
