"""Graphs from NumPy arrays."""

import copy
import pickle
import unittest

import numpy as np

import cavs

GOOD = dict(sample_begin=np.array([0, 3, 8]), child_offsets=np.array([0, 0, 0, 2, 2, 2, 4, 4, 6]),
            children=np.array([0, 1, 0, 1, 2, 3]))


def graphs(**changes):
    return cavs.Graphs.from_arrays(**{**GOOD, **changes})


class FromArrays(unittest.TestCase):
    def test_keeps_the_given_arrays(self):
        x = np.arange(24, dtype=np.float32).reshape(8, 3)
        g = graphs(ports={"x": x, "label": np.arange(8)})
        self.assertEqual((len(g), g.vertices, g.edges), (2, 8, 6))
        np.testing.assert_array_equal(g["x"], x)
        np.testing.assert_array_equal(g["label"], np.arange(8))
        for name, array in GOOD.items():
            np.testing.assert_array_equal(getattr(g, name), array)

    def test_accepts_any_integer_type_and_strides(self):
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

    def test_refuses_arrays_that_are_not_graphs(self):
        i64 = np.int64
        cases = {
            "cycle": (dict(children=np.array([2, 1, 0, 1, 2, 3])), "vertex 2 is its own child"),
            "a child out of range": (dict(children=np.array([0, 3, 0, 1, 2, 3])), "3"),
            "too small a child": (dict(children=np.array([0, -2, 0, 1, 2, 3])), "-2"),
            "offsets that go back": (dict(child_offsets=np.array([0, 0, 2, 0, 2, 2, 4, 4, 6])), "offset"),
            "offsets beyond the children": (dict(child_offsets=np.array([0, 0, 0, 2, 2, 2, 4, 4, 9])),
                                            "children|offset"),
            "floats as children": (dict(children=GOOD["children"] * 1.0), "float64; expected integers"),
            "NaN as children": (dict(children=np.full(6, np.nan)), "expected integers"),
            "booleans": (dict(children=np.zeros(6, bool)), "expected integers"),
            "numbers that do not fit": (dict(children=np.array([0, 1, 0, 1, 2, 2**40], i64)), str(2**40)),
            "two dimensions": (dict(children=np.zeros((3, 2), i64)), r"\[3, 2\]; expected one"),
            "no array": (dict(children="abc"), "expected an array"),
            "a list of lists": (dict(children=[[0], [1, 2]]), "children is a list"),
            "a list of text": (dict(children=["a"]), "children"),
            "objects": (dict(children=GOOD["children"].astype(object)), "dtype .\\|O"),
            "objects in a port": (dict(ports={"x": np.array([None] * 8)}), "port 'x' .*dtype .\\|O"),
            "text": (dict(ports={"word": np.array(["a"] * 8)}), "port 'word'"),
            "the other order of bytes": (dict(children=GOOD["children"].astype(">i8")), "dtype .>i8.*byte order"),
            "floats of that order": (dict(ports={"x": np.ones((8, 2), ">f4")}), "port 'x' .*byte order"),
            "unsigned numbers that do not fit": (dict(children=np.full(6, 2**63, np.uint64)), str(2**63)),
            "NaN in a row": (dict(ports={"x": np.array([[np.nan, 1]] * 8)}), "nan"),
            "a negative size": (dict(sample_begin=np.array([0, 8, 3])), "sample"),
            "a negative offset": (dict(child_offsets=np.array([0, -1, 0, 2, 2, 2, 4, 4, 6])), "offset"),
            "a short edge port": (dict(edge_ports={"e": np.zeros(5, i64)}), "e"),
            "a port below -1": (dict(ports={"w": np.full(8, -2)}), "w"),
            "one name for two ports": (dict(ports={"w": np.zeros(8, i64)}, edge_ports={"w": np.zeros(6, i64)}), "'w'"),
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

    def test_an_array_of_the_caller_is_never_written(self):
        x = np.ones((8, 2), np.float32)
        x[3] = np.nan
        given = {**GOOD, "types": np.zeros(8, np.int32)}
        ports, edge_ports = {"x": x, "w": np.arange(8)}, {"e": np.arange(6), "f": np.full((6, 1), np.nan)}
        before = copy.deepcopy((given, ports, edge_ports))
        for keep in (True, False):
            g = graphs(**given, type_names=["a"], ports=ports, edge_ports=edge_ports, copy=keep)
            np.testing.assert_array_equal(g["x"], x)
        for arrays, old in zip((given, ports, edge_ports), before):
            for name in arrays:
                np.testing.assert_array_equal(arrays[name], old[name], name)

    def test_edge_ports(self):
        length = np.arange(12, dtype=np.float32).reshape(6, 2)
        length[2] = np.nan
        g = graphs(edge_ports={"order": np.arange(6), "length": length})
        self.assertEqual((g.ports, g.edge_ports), ([], ["order", "length"]))
        np.testing.assert_array_equal(g["order"], np.arange(6))
        np.testing.assert_array_equal(g["length"], length)

    def test_ports_of_edges_follow_the_edges_to_their_slots(self):
        child, parent = np.array([4, 0, 3, 1]), np.array([5, 2, 5, 2])
        g = cavs.Graphs.from_edges([3, 3], child, parent, types=[0, 0, 1, 0, 0, 1], type_names=["leaf", "inner"],
                                   ports={"x": [1.0, 2, 3, 4, 5, 6]},
                                   edge_ports={"e": np.array([7, 8, 9, 5]), "f": np.array([1.0, np.nan, 3, 4])})
        np.testing.assert_array_equal(g.children, [0, 1, 1, 0])
        np.testing.assert_array_equal(g["e"], [8, 5, 7, 9])
        np.testing.assert_array_equal(g["f"].ravel(), [np.nan, 4, 1, 3])
        with self.assertRaisesRegex(cavs.Error, "'e' has 3 rows; expected one for each of the 4 edges"):
            cavs.Graphs.from_edges([3, 3], child, parent, edge_ports={"e": np.zeros(3, int)})

    def test_lists_are_arrays(self):
        g = cavs.Graphs.from_arrays([0, 2], [0, 0, 1], [0], ports={"x": [[1.5], [2]], "w": [3, 4]})
        np.testing.assert_array_equal(g["x"], [[1.5], [2]])
        self.assertEqual(cavs.Graphs.from_arrays([0, 1], [0, 0], []).edges, 0)

    def test_refuses_invalid_edges(self):
        for sizes, child, parent in [([3], [0], [3]), ([3], [-1], [1]), ([2, 2], [0], [2]), ([3], [0, 1], [2]),
                                     ([3, 0], [0], [1]), ([2**40], [0], [1]), ([2], [0, 1], [1, 0]), ([1], [0], [0])]:
            with self.subTest(f"{sizes} {child} {parent}"):
                with self.assertRaises(cavs.Error):
                    cavs.Graphs.from_edges(np.array(sizes), np.array(child), np.array(parent))

    def test_unknown_ports(self):
        with self.assertRaises(KeyError):
            graphs()["x"]


class WithoutACopy(unittest.TestCase):
    def test_numbers_are_read_in_place(self):
        x = np.ones((8, 2), np.float32)
        g = graphs(ports={"x": x}, copy=False)
        self.assertFalse(x.flags.writeable)
        with self.assertRaisesRegex(ValueError, "read-only"):
            x[0] = 2
        address = x.ctypes.data
        del x
        np.testing.assert_array_equal(g["x"], np.ones((8, 2)))
        del g
        self.assertNotEqual(address, 0)

    def test_the_base_of_a_view_is_read_only_too(self):
        whole = np.ones((16, 2), np.float32)
        graphs(ports={"x": whole[4:12]}, copy=False)
        self.assertFalse(whole.flags.writeable)

    def test_other_layouts_are_copied(self):
        absent = np.ones((8, 2), np.float32)
        absent[1] = np.nan
        for x in [np.ones((8, 2)), np.ones((2, 8), np.float32).T, absent, np.arange(8)]:
            g = graphs(ports={"x": x}, copy=False)
            self.assertTrue(x.flags.writeable)
            expected = x.copy()
            x[:] = 7
            np.testing.assert_array_equal(g["x"], expected)

    def test_a_refused_array_stays_writeable(self):
        x = np.full((8, 2), np.inf, np.float32)
        with self.assertRaisesRegex(cavs.Error, "inf"):
            graphs(ports={"x": x}, copy=False)
        self.assertTrue(x.flags.writeable)

    def test_a_change_in_spite_of_that_is_detected(self):
        whole = np.ones((8, 2), np.float32)
        view = whole[:]
        g = graphs(ports={"x": whole, "label": np.zeros(8, int)}, copy=False)
        m = cavs.Model()
        W = m.parameter("W", (2, 3))

        @m.vertex_function
        def vertex(v):
            y = v.pull("x", 2) @ W + v.children("h").sum()
            v.scatter(h=y)
            v.push(y=y)
            v.loss(cavs.softmax_cross_entropy(y, v.pull_index("label")))
        trainer = cavs.Trainer(m, g)
        trainer.step()
        trained, session = trainer.trained(), cavs.Session(m)
        run = session.forward(g)
        view[3] = 5
        for use in [lambda: cavs.Trainer(m, g), lambda: trainer.evaluate(g), lambda: trainer.fit(2),
                    lambda: trained.predict(g), lambda: trained.evaluate(g), lambda: cavs.Session(m).forward(g, [0]),
                    lambda: cavs.Graphs.concat([g]), lambda: pickle.dumps(g), lambda: session.forward(g, [0, 1]),
                    lambda: run.backward(), lambda: cavs._core._Batch(g, None),
                    lambda: cavs._core._Batch(g, np.array([1]))]:
            with self.assertRaisesRegex(cavs.Error, "port 'x': the array has changed at sample 1"):
                use()
        # The other sample can still be used.
        session.forward(g, [0]).backward()
        self.assertEqual(cavs._core._Batch(g, np.array([0])).vertices, 3)
        view[3] = 1
        session.forward(g).backward()

        def change(report):
            view[0] = report.epoch
        with self.assertRaisesRegex(cavs.Error, "port 'x': the array has changed at sample 0"):
            cavs.Trainer(m, g).fit(2, on_epoch=change)

    def test_the_numbers_are_the_same(self):
        data = cavs.load_data("moving-shapes:train=12,test=0,length=3")
        ports = {p: data.train[p] for p in data.train.ports}
        g = data.train
        self.assertTrue(any(a.dtype == np.float32 for a in ports.values()))
        shared = cavs.Graphs.from_arrays(g.sample_begin, g.child_offsets, g.children, types=g.types,
                                         type_names=g.type_names, ports=ports, copy=False)
        for port in g.ports:
            np.testing.assert_array_equal(shared[port], g[port])


class Samples(unittest.TestCase):
    def setUp(self):
        self.all = graphs(ports={"w": np.arange(8), "x": np.arange(8.0)}, edge_ports={"e": np.arange(6)})

    def test_are_selected_by_number(self):
        second = self.all[1]
        self.assertEqual((len(second), second.vertices), (1, 5))
        np.testing.assert_array_equal(second["w"], [3, 4, 5, 6, 7])
        np.testing.assert_array_equal(second["e"], [2, 3, 4, 5])
        self.assertEqual([s.vertices for s in self.all], [3, 5])
        for key in [slice(None, None, -1), [1, 0], [-1, -2]]:
            np.testing.assert_array_equal(self.all[key]["w"], [3, 4, 5, 6, 7, 0, 1, 2])
        self.assertEqual(len(self.all[2:]), 0)
        for key in (2, -3):
            with self.assertRaises(IndexError):
                self.all[key]

    def test_are_joined(self):
        joined = cavs.Graphs.concat([self.all[1], self.all[0], self.all])
        np.testing.assert_array_equal(joined["w"], [3, 4, 5, 6, 7, 0, 1, 2, *range(8)])
        with self.assertRaisesRegex(cavs.Error, "set 1 has other types or ports"):
            cavs.Graphs.concat([self.all, graphs()])
        with self.assertRaisesRegex(cavs.Error, "at least one"):
            cavs.Graphs.concat([])

    def test_are_pickled(self):
        x = np.ones((8, 2), np.float32)
        x[2] = np.nan
        for given in [self.all, graphs(ports={"x": x}), graphs(ports={"x": np.ones((8, 1), np.float32)}, copy=False)]:
            again = pickle.loads(pickle.dumps(given))
            for name in ("sample_begin", "types", "child_offsets", "children"):
                np.testing.assert_array_equal(getattr(again, name), getattr(given, name))
            for port in given.ports + given.edge_ports:
                np.testing.assert_array_equal(again[port], given[port])

    def test_an_altered_pickle_is_checked(self):
        schema, flat, vertices, edges = self.all.__getstate__()
        broken = (schema, (*flat[:3], np.full(6, 99, np.int32).tobytes()), vertices, edges)
        with self.assertRaisesRegex(cavs.Error, "99"):
            cavs.Graphs.__new__(cavs.Graphs).__setstate__(broken)


class LoadData(unittest.TestCase):
    def test_returns_both_parts_and_the_words(self):
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
