"""Graphs of Python objects."""

import ast
import unittest

import numpy as np

import cavs


class Objects(unittest.TestCase):
    class Node:
        def __init__(self, word=None, *children, label=None):
            self.word, self.children, self.label = word, list(children), label

    def test_children_and_ports_are_attributes(self):
        node = self.Node
        shared = node(7)
        g = cavs.from_objects([node(1, node(2, shared), None, shared, label=4), node(3)],
                              ports={"word": "word", "label": "label", "size": lambda n: len(n.children) / 2})
        self.assertEqual((len(g), g.vertices), (2, 4))
        np.testing.assert_array_equal(g.child_offsets, [0, 3, 4, 4, 4])
        np.testing.assert_array_equal(g.children, [1, -1, 2, 2])  # of the root, then of its first child
        np.testing.assert_array_equal(g["word"], [1, 2, 7, 3])
        np.testing.assert_array_equal(g["label"], [4, -1, -1, -1])
        np.testing.assert_array_equal(g["size"].ravel(), [1.5, 0.5, 0, 0])

    def test_mappings_and_named_slots(self):
        tree = {"op": "max", "left": {"op": "leaf"}, "right": None}
        g = cavs.from_objects([tree, tree["left"]], children=("left", "right"), type="op", type_names=["leaf", "max"])
        np.testing.assert_array_equal(g.types, [1, 0, 0])
        np.testing.assert_array_equal(g.child_offsets, [0, 2, 2, 2])
        np.testing.assert_array_equal(g.children, [1, -1])

    def test_ports_of_edges_are_lists_parallel_to_the_children(self):
        oxygen = {"atom": 8}
        acid = {"atom": 6, "children": [oxygen, None, {"atom": 8, "bonds": None}], "bonds": (2, None, 1)}
        g = cavs.from_objects([acid, oxygen], edge_ports={
            "bond": "bonds", "length": lambda atom: [None if b is None else [1 / b, 0] for b in atom.get("bonds") or ()]})
        np.testing.assert_array_equal(g.children, [1, -1, 2])
        np.testing.assert_array_equal(g["bond"], [2, -1, 1])
        np.testing.assert_array_equal(g["length"][[0, 2]], [[0.5, 0], [1, 0]])
        acid["bonds"] = [2, 1]
        with self.assertRaisesRegex(cavs.Error, r"'bond' of object 0 .* is \[2, 1\]; expected one entry for each of its 3 children"):
            cavs.from_objects([acid], edge_ports={"bond": "bonds"})

    def test_syntax_trees(self):
        source = "def f(x):\n    return x + f(x - 1)\n"
        g = cavs.from_objects([ast.parse(source)], children=ast.iter_child_nodes, type=lambda n: type(n).__name__)
        self.assertEqual(g.vertices, len({id(n) for n in ast.walk(ast.parse(source))}))
        self.assertEqual(g.type_names[0], "Module")

    def test_depth_is_limited_only_by_memory(self):
        root = self.Node(0)
        for i in range(50_000):
            root = self.Node(i, root)
        self.assertEqual(cavs.from_objects([root]).vertices, 50_001)

    def test_refuses_objects_that_are_not_graphs(self):
        cycle = self.Node(1)
        cycle.children.append(self.Node(2, cycle))
        for roots, options, message in [([cycle], {}, "own ancestor"), ([object()], {}, "none of the 1 objects has"),
                                        ([{"left": None}], {"children": ("left", "rigth")}, "attribute or key 'rigth'"),
                                        ([self.Node("the")], {"ports": {"word": "word"}}, "'word' has 'the'"),
                                        ([self.Node(1)], {"type": "kind"}, "has the type None")]:
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                cavs.from_objects(roots, **options)


if __name__ == "__main__":
    unittest.main()
