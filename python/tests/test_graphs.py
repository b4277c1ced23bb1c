"""Graphs from NumPy arrays."""

import unittest

import numpy as np

import cavs

GOOD = dict(sample_begin=np.array([0, 3, 8]), child_offsets=np.array([0, 0, 0, 2, 2, 2, 4, 4, 6]),
            children=np.array([0, 1, 0, 1, 2, 3]))


def graphs(**changes):
    return cavs.Graphs.from_arrays(**{**GOOD, **changes})


class FromArrays(unittest.TestCase):
    def test_keeps_what_is_given(self):
        x = np.arange(24, dtype=np.float32).reshape(8, 3)
        g = graphs(ports={"x": x, "label": np.arange(8)})
        self.assertEqual((len(g), g.vertices, g.edges), (2, 8, 6))
        np.testing.assert_array_equal(g["x"], x)
        np.testing.assert_array_equal(g["label"], np.arange(8))
        for name, array in GOOD.items():
            np.testing.assert_array_equal(getattr(g, name), array)

    def test_takes_any_type_of_integer_and_any_strides(self):
        for dtype in [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]:
            g = graphs(children=GOOD["children"].astype(dtype))
            np.testing.assert_array_equal(g.children, GOOD["children"])
        wide = np.stack([GOOD["children"], GOOD["children"] + 7], axis=1)
        np.testing.assert_array_equal(graphs(children=wide[:, 0]).children, GOOD["children"])
        x = np.arange(24, dtype=np.float64).reshape(3, 8).T
        np.testing.assert_array_equal(graphs(ports={"x": x})["x"], x)

    def test_copies(self):
        children = GOOD["children"].copy()
        children.flags.writeable = False
        g = graphs(children=children)
        children = GOOD["children"].copy()
        h = graphs(children=children)
        children[:] = -1
        np.testing.assert_array_equal(h.children, g.children)

    def test_a_row_of_nan_is_absent(self):
        x = np.ones((8, 2), np.float32)
        x[4] = np.nan
        np.testing.assert_array_equal(graphs(ports={"x": x})["x"], x)
        x[5, 0] = np.nan
        with self.assertRaisesRegex(cavs.Error, "nan"):
            graphs(ports={"x": x})

    def test_types(self):
        g = graphs(types=np.array([0, 0, 1, 0, 0, 1, 0, 1]), type_names=["leaf", "inner"])
        self.assertEqual(g.type_names, ["leaf", "inner"])

    def test_edges_make_the_same_graphs(self):
        g = cavs.Graphs.from_edges(np.array([3, 5]), np.array([0, 1, 3, 4, 5, 6]), np.array([2, 2, 5, 5, 7, 7]))
        for name, array in GOOD.items():
            np.testing.assert_array_equal(getattr(g, name), array)

    def test_refuses_what_is_no_graph(self):
        i64 = np.int64
        cases = {
            "cycle": (dict(children=np.array([2, 1, 0, 1, 2, 3])), "vertex 2 is its own child"),
            "a child out of range": (dict(children=np.array([0, 3, 0, 1, 2, 3])), "3"),
            "too small a child": (dict(children=np.array([0, -2, 0, 1, 2, 3])), "-2"),
            "offsets that go back": (dict(child_offsets=np.array([0, 0, 2, 0, 2, 2, 4, 4, 6])), "offset"),
            "offsets beyond the children": (dict(child_offsets=np.array([0, 0, 0, 2, 2, 2, 4, 4, 9])), "children|offset"),
            "floats as children": (dict(children=GOOD["children"] * 1.0), "float64; expected integers"),
            "NaN as children": (dict(children=np.full(6, np.nan)), "expected integers"),
            "booleans": (dict(children=np.zeros(6, bool)), "expected integers"),
            "numbers that do not fit": (dict(children=np.array([0, 1, 0, 1, 2, 2**40], i64)), str(2**40)),
            "two dimensions": (dict(children=np.zeros((3, 2), i64)), r"\[3, 2\]; expected one"),
            "no array": (dict(children="abc"), "expected an array"),
            "types without names": (dict(types=np.ones(8, i64)), "type_names"),
            "a type out of range": (dict(types=np.full(8, 2), type_names=["a", "b"]), "2"),
            "too few types": (dict(types=np.zeros(7, i64), type_names=["a"]), "7"),
            "a short port": (dict(ports={"w": np.zeros(7, i64)}), "w"),
            "a short float port": (dict(ports={"x": np.zeros((7, 2))}), "x"),
            "a port of three dimensions": (dict(ports={"x": np.zeros((8, 2, 2))}), "x"),
            "a port of no width": (dict(ports={"x": np.zeros((8, 0))}), "x"),
            "infinity": (dict(ports={"x": np.full((8, 1), np.inf)}), "inf"),
            "an empty name": (dict(ports={"": np.zeros(8, i64)}), "no name"),
            "no samples": (dict(sample_begin=np.array([], i64)), "sample"),
            "an empty sample": (dict(sample_begin=np.array([0, 3, 3, 8])), "sample|vert"),
            "no offsets": (dict(child_offsets=np.array([], i64)), "offset|sample|vert"),
            "complex": (dict(ports={"x": np.zeros((8, 2), complex)}), "x"),
            "half": (dict(ports={"x": np.zeros((8, 2), np.float16)}), "float16"),
        }
        for name, (changes, message) in cases.items():
            with self.subTest(name):
                with self.assertRaisesRegex(cavs.Error, message):
                    graphs(**changes)

    def test_refuses_edges_that_are_none(self):
        for sizes, child, parent in [([3], [0], [3]), ([3], [-1], [1]), ([2, 2], [0], [2]), ([3], [0, 1], [2]),
                                     ([3, 0], [0], [1]), ([2**40], [0], [1]), ([2], [0, 1], [1, 0]), ([1], [0], [0])]:
            with self.subTest(f"{sizes} {child} {parent}"):
                with self.assertRaises(cavs.Error):
                    cavs.Graphs.from_edges(np.array(sizes), np.array(child), np.array(parent))

    def test_unknown_ports(self):
        with self.assertRaises(KeyError):
            graphs()["x"]


class LoadData(unittest.TestCase):
    def test_gives_both_parts_and_the_words(self):
        data = cavs.load_data("random-trees:train=20,test=5,leaves=4,vocabulary=10")
        train = data.train
        rows, classes = data.rows("word"), data.classes
        del data
        self.assertEqual(len(train), 20)
        self.assertEqual(train["word"].max() < rows, True)
        self.assertEqual(train["label"].max() < classes, True)

    def test_refuses_unknown_data(self):
        for spec in ["sstt:x", "trees:/no/such/file", "random-trees:train=no"]:
            with self.assertRaises(cavs.Error):
                cavs.load_data(spec)


if __name__ == "__main__":
    unittest.main()
