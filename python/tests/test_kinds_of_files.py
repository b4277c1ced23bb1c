"""Arrays, objects and texts of users: read correctly, or refused with a message that says what to do."""

import concurrent.futures
import pathlib
import tempfile
import types
import unittest

import numpy as np

import cavs
from cases import generated
from models import tree_lstm


def pyg(**members):
    return types.SimpleNamespace(**{"edge_index": np.array([[0, 1], [2, 2]]), "x": np.ones((3, 2), np.float32), **members})


class Arrays(unittest.TestCase):
    def test_masks_are_refused(self):
        masked = np.ma.masked_array([1., 2., 3.], mask=[0, 1, 0]).astype(np.float32)
        with self.assertRaisesRegex(cavs.Error, "masked array, and 1 of its numbers are masked.*filled"):
            cavs.Graphs.from_edges(np.array([3]), np.array([0, 1]), np.array([2, 2]), ports={"x": masked})
        with self.assertRaisesRegex(cavs.Error, "port 'x' is a masked array"):
            cavs.Graphs.from_edges(np.array([3]), np.array([0, 1]), np.array([2, 2]), ports={"x": [masked, masked, masked]})
        with self.assertRaisesRegex(cavs.Error, "port 'x' is a masked array"):
            cavs.Graphs.from_arrays(np.array([3]), np.array([0, 0, 0, 2]), np.array([0, 1]), copy=False,
                                    ports={"x": np.ma.masked_array(np.ones((3, 2), np.float32), mask=[[0, 0], [1, 0], [0, 0]])})
        with self.assertRaisesRegex(cavs.Error, "sample 0: x is a masked array"):
            cavs.from_pyg([pyg(x=np.ma.masked_array(np.ones((3, 2), np.float32), mask=[[0, 0], [1, 0], [0, 0]]))])
        unmasked = np.ma.masked_array([1., 2., 3.]).astype(np.float32)
        graphs = cavs.Graphs.from_edges(np.array([3]), np.array([0, 1]), np.array([2, 2]), ports={"x": unmasked})
        self.assertEqual(graphs["x"].tolist(), [[1], [2], [3]])

    def test_a_missing_target_suggests_one_port_per_target(self):
        with self.assertRaisesRegex(cavs.Error, "row 0 has NaN in column 1, .*one port per target"):
            cavs.from_pyg([pyg(y=np.array([[.1, np.nan, .3]], np.float32))])
        with self.assertRaisesRegex(cavs.Error, "a port per number"):
            cavs.Graphs.from_edges(np.array([3]), np.array([0, 1]), np.array([2, 2]),
                                   ports={"y": np.array([[1, np.nan], [1, 1], [1, 1]], np.float32)})
        absent = cavs.from_pyg([pyg(y=np.array([[np.nan, np.nan]], np.float32))])
        self.assertTrue(np.isnan(absent["y"]).all())

    def test_edges_in_both_directions_are_named(self):
        with self.assertRaisesRegex(cavs.Error, "edges in both directions, such as 0 -> 1 and 1 -> 0"):
            cavs.from_pyg([pyg(edge_index=np.array([[0, 1, 1], [1, 0, 2]]))])
        with self.assertRaisesRegex(cavs.Error, "edges in both directions"):
            cavs.Graphs.from_edges(np.array([2]), np.array([0, 1]), np.array([1, 0]))


class Texts(unittest.TestCase):
    def test_numbers_that_are_not_finite_are_named_by_port_and_row(self):
        line = {"children": [[], [], [0, 1]], "pull": {"x": np.array([[np.nan], [1.], [2.]])}, "label": [0, 1, 0]}
        with self.assertRaisesRegex(cavs.Error, "line 1: port 'x', row 0, number 0 is nan; expected finite numbers"):
            cavs.from_jsonl([line])

    def test_a_no_break_space_is_a_part_of_a_word(self):
        tree = (3, (2, "8\u00a01/2"), (4, "x"))
        self.assertEqual(cavs.from_trees([tree]).words, cavs.load_data("trees:a", texts={"a": "(3 (2 8\u00a01\\/2) (4 x))"}).words)
        with self.assertRaisesRegex(cavs.Error, "expected text without blanks"):
            cavs.from_trees([(3, (2, "8 1/2"), (4, "x"))])

    def test_data_warn_as_the_command_does(self):
        with self.assertWarnsRegex(UserWarning, "of one class, 'N'"):
            cavs.load_data("trees:a", texts={"a": "(N a)"})


class Predictions(unittest.TestCase):
    def test_need_no_labels(self):
        table = "table:a,separator=tab,text=text,label=label"
        data = cavs.load_data(table, texts={"a": "text\tlabel\nx\tgood\ny\tbad\n"})
        trained = cavs.Trainer(tree_lstm(6, 8, data.rows("word"), data.classes), data, batch_size=2).trained()
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"hidden": "text\tlabel\nx y\t-1\n", "none": "n\ttext\n1\tx y\n"}.items():
                file = pathlib.Path(folder, name)
                file.write_text(text)
                unlabelled = trained.load_data(table.replace(":a,", f":{file},"))
                self.assertEqual(trained.predict(unlabelled.train)["logits"].shape, (2, 2))
                self.assertEqual(trained.evaluate(unlabelled.train).labels, 0)


class Threads(unittest.TestCase):
    def test_predictions_wait_for_each_other(self):
        data = generated()
        trained = cavs.Trainer(tree_lstm(6, 8, data.rows("word"), data.classes), data, batch_size=10).trained()
        alone, text = trained.predict(data.dev)["logits"], trained.predict_text("((w1) (w2))")[0].probabilities
        with concurrent.futures.ThreadPoolExecutor(4) as threads:
            asked = [threads.submit(trained.predict, data.dev, threads=1 + i % 2) for i in range(40)]
            texts = [threads.submit(trained.predict_text, "((w1) (w2))", threads=1 + i % 2) for i in range(40)]
            for answer in asked:
                np.testing.assert_array_equal(answer.result()["logits"], alone)
            for answer in texts:
                self.assertEqual(answer.result()[0].probabilities, text)

    def test_kept_predictors_see_new_parameters(self):
        data = generated()
        trained = cavs.Trainer(tree_lstm(6, 8, data.rows("word"), data.classes), data, batch_size=10).trained()
        before = trained.predict_text("((w1) (w2))")[0].probabilities
        name = next(iter(trained.parameters))
        trained.parameters[name] = np.zeros_like(trained.parameters[name])
        after = trained.predict_text("((w1) (w2))")[0].probabilities
        self.assertNotEqual(before, after)


if __name__ == "__main__":
    unittest.main()
