"""Error messages of the Python package say what was found and what was expected."""

import copy
import pickle
import unittest

import numpy as np

import cavs
from cases import FolderCase
from models import tree_lstm

SPEC = "random-trees:train=20,test=6,leaves=4,vocabulary=10"


class Case(FolderCase):
    @classmethod
    def setUpClass(cls):
        cls.data = cavs.load_data(SPEC)
        cls.model = tree_lstm(4, 4, cls.data.rows("word"), cls.data.classes)

    def refused(self, error, message, use):
        with self.subTest(message), self.assertRaisesRegex(error, message):
            use()


class Options(Case):
    def test_of_a_trainer(self):
        for options, message in [
                (dict(batch_size=2.5), "option 'batch_size' of Trainer is 2.5, of type float; expected an integer"),
                (dict(lr="fast"), "option 'lr' of Trainer is 'fast'.*expected a number"),
                (dict(seed=-1), "option 'seed' of Trainer is -1.*from 0"),
                (dict(optimizer=3), "option 'optimizer' .*cavs.optimizer"),
                (dict(disabled_passes=3), "option 'disabled_passes' .*a list of names"),
                (dict(batchsize=3), "Trainer has no option 'batchsize'; did you mean 'batch_size'")]:
            self.refused(TypeError, message, lambda: cavs.Trainer(self.model, self.data, **options))
            self.refused(TypeError, message, lambda: cavs.fit(self.model, self.data, progress=False, **options))
        self.refused(TypeError, "data is of type list; expected Graphs or a Dataset, .*from_trees",
                     lambda: cavs.Trainer(self.model, [1, 2]))

    def test_of_training_are_checked_before_it_begins(self):
        trainer = cavs.Trainer(self.model, self.data)
        for options, error, message in [(dict(metrics={"f": 3}), TypeError, "metric 'f' is of type int; expected a function"),
                                        (dict(on_step=3), TypeError, "on_step is of type int"),
                                        (dict(on_epoch="a"), TypeError, "on_epoch is of type str"),
                                        (dict(save_every=-2), cavs.Error, "save_every is -2; expected 0")]:
            self.refused(error, message, lambda: trainer.fit(1, **options))
        self.assertEqual(trainer.steps, 0)

    def test_of_models_of_the_zoo(self):
        for options, message in [(dict(hidden=-4), "hidden is -4; expected 1 to 65536"),
                                 (dict(hidden=10**9), "hidden is 1000000000"), (dict(classes=0), "classes is 0"),
                                 (dict(dropout=2), "dropout is 2")]:
            self.refused(cavs.Error, message, lambda: cavs.zoo("tree-lstm", **options))


class Declarations(Case):
    def declare(self, use):
        m = cavs.Model()
        W, E = m.parameter("W", (4, 4)), m.lookup("E", (5, 4))
        m.vertex_function("f")(lambda v: use(v, v.pull("x", 4), W, E))

    def test_operands_that_are_not_values(self):
        for message, use in [
                (r"\[slice\] x\[0\]: expected a range of columns, such as x\[2:5\]", lambda v, x, W, E: x[0]),
                (r"x.split\(3\) returns equal parts", lambda v, x, W, E: list(x)),
                (r"\[add\] an operand is of type ndarray.*a port of the graphs", lambda v, x, W, E: x + np.ones(4)),
                (r"\[add\] an operand is of type ndarray", lambda v, x, W, E: np.ones(4) + x),
                ("does not support ufuncs", lambda v, x, W, E: np.tanh(x)),
                ("table 'E' is read by a int; expected an IndexValue", lambda v, x, W, E: E(3)),
                ("table 'E' is read by a str", lambda v, x, W, E: E("word")),
                ("table 'E' is read by a cavs._core.Value", lambda v, x, W, E: E(x))]:
            self.refused(TypeError, message, lambda: self.declare(use))
        self.declare(lambda v, x, W, E: v.push(y=np.float32(2) * x * np.float64(3)))

    def test_a_function_that_returns_a_value(self):
        self.refused(cavs.Error, "vertex function 'f' returns a .*Value; .*v.scatter, v.push and v.loss",
                     lambda: self.declare(lambda v, x, W, E: x))

    def test_sizes_that_are_too_large(self):
        most = 2**31 - 1
        self.refused(cavs.Error, "'V' of shape .* has more than", lambda: cavs.Model().parameter("V", (most, most, most)))
        self.refused(cavs.Error, r"\[concat\] makes a row of 4294967294 numbers",
                     lambda: self.declare(lambda v, x, W, E: cavs.concat(v.pull("y", most), v.pull("z", most))))


class Paths(Case):
    def test_are_str_or_pathlib_paths(self):
        path = self.folder / "a.cavs"
        trainer = cavs.Trainer(self.model, self.data)
        trainer.fit(1, save=path, save_best=self.folder / "best.cavs")
        trainer.save(path)
        cavs.Trainer(self.model, self.data).resume(path)
        cavs.load(path).save(self.folder / "b.cavs")
        cavs.fit(self.model, self.data, epochs=1, progress=False, save=path)
        vectors = self.folder / "vectors.txt"
        vectors.write_text("w1 1 2 3 4\n")
        self.assertEqual(trainer.load_vectors(vectors), 1)
        self.assertEqual(len(list(self.folder.glob("*.cavs"))), 3)

    def test_of_other_kinds_are_refused(self):
        self.refused(TypeError, "a path is of type int; expected a str or a pathlib.Path", lambda: cavs.load(3))
        self.refused(TypeError, "a path is of type bytes", lambda: cavs.load(b"a"))
        for use in [lambda: cavs.load("a\0b"), lambda: cavs.Trainer(self.model, self.data).save("a\0b"),
                    lambda: cavs.fit(self.model, self.data, progress=False, save="a\0b")]:
            self.refused(cavs.Error, r"the path 'a\\x00b' has a NUL character", use)
        self.refused(cavs.Error, "the spec of the data has a NUL", lambda: cavs.load_data("text:\0"))


class Graphs(Case):
    def test_indices_that_are_not_samples(self):
        for what in (1.5, np.array([True]), np.True_, True, [True, False], 2**70, object()):
            self.refused(TypeError, "graphs are indexed with .*flatnonzero", lambda: self.data.train[what])

    def test_dtypes_are_named(self):
        for array, name in [(np.zeros(3, bool), "bool"), (np.zeros(3, complex), "complex128"),
                            (np.zeros(3, np.float16), "float16")]:
            self.refused(cavs.Error, f"'x' is an array of {name};",
                         lambda: cavs.Graphs.from_arrays([0, 3], [0, 0, 0, 0], [], ports={"x": array}))

    def test_json_dicts_may_have_arrays(self):
        lines = [{"children": [np.array([], int), [0]], "pull": {"x": np.ones((2, 3), np.float32)},
                  "label": np.array([-1, 1])}]
        self.assertEqual(cavs.from_jsonl(lines).train["x"].tolist(), [[1, 1, 1]] * 2)
        self.refused(cavs.Error, "of type set; expected a type of JSON", lambda: cavs.from_jsonl([{"children": {1}}]))

    def test_empty_graphs_have_no_rows(self):
        predicted = cavs.Trainer(self.model, self.data).trained().predict(self.data.dev[0:0])
        self.assertEqual(predicted["logits"].shape, (0, self.data.classes))


class Sending(Case):
    def test_a_model_is_pickled(self):
        for other in (pickle.loads(pickle.dumps(self.model)), copy.deepcopy(self.model)):
            self.assertEqual(other.to_json(), self.model.to_json())

    def test_a_prediction_has_a_repr(self):
        trained = cavs.Trainer(self.model, self.data).trained()
        self.assertRegex(repr(trained.predict_text("(((w1) (w2)) (w3))")[0]), r"<cavs.Prediction: 5 vertices, classes \[\d, .*\]>")

    def test_objects_that_are_saved_to_files_are_not_pickled(self):
        trained = cavs.Trainer(self.model, self.data).trained()
        for thing, message in [(trained, "a TrainedModel cannot be pickled.*save"), (self.data, "a Dataset cannot be pickled")]:
            for send in (pickle.dumps, copy.deepcopy):
                self.refused(TypeError, message, lambda: send(thing))


if __name__ == "__main__":
    unittest.main()
