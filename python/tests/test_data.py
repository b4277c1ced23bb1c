"""Data sets: every kind of spec, texts in memory, trees, JSON, networkx, PyTorch Geometric, generators."""

import gc
import json
import pathlib
import tempfile
import types
import unittest
import weakref

import numpy as np

import cavs
from cases import FolderCase
from models import tree_lstm

CONLL = "The DT O\ncat NN B-PET\n\nIt PRP O\n"
CONLLU = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
TREES = "(3 (2 It) (4 (3 works) (2 .)))\n(1 (2 no) (1 way))\n"
JSONL = ('{"children":[[],[],[0,1]],"pull":{"word":["a","b",null],"x":[[1],[2],null]},'
         '"edges":{"kind":[[],[],["left","right"]]},"label":[-1,-1,1]}\n')


class Generated(unittest.TestCase):
    def test_every_kind_has_two_parts_and_the_same_samples_every_time(self):
        for spec in ["listops:train=20,test=5,length=20", "random-trees:train=20,test=5,leaves=4",
                     "tags:train=20,test=5,length=6,vocabulary=30", "lattices:train=20,test=5,length=6,vocabulary=30",
                     "translations:train=20,test=5,length=6,vocabulary=30",
                     "tree-pairs:train=20,test=5,length=5,vocabulary=30", "expressions:train=20,test=5,length=9",
                     "moving-shapes:train=20,test=5,length=3", "markov:train=20,test=5,length=6,vocabulary=30"]:
            with self.subTest(spec):
                data, again = cavs.load_data(spec), cavs.load_data(spec)
                self.assertEqual((len(data.train), len(data.dev)), (20, 5))
                self.assertEqual(data.samples, 20)
                self.assertEqual(data.kind, spec.partition(":")[0])
                self.assertGreater(data.train.vertices, 20)
                np.testing.assert_array_equal(data.train.children, again.train.children)
                for port in data.train.ports:
                    np.testing.assert_array_equal(data.train[port], again.train[port])

    def test_binary_trees_have_one_part(self):
        data = cavs.load_data("binary-trees:leaves=8,samples=3,vocabulary=9")
        self.assertEqual((len(data.train), len(data.dev), data.train.vertices), (3, 0, 45))

    def test_options(self):
        self.assertEqual(len(cavs.load_data("listops:train=20,test=5", limit=7).train), 7)
        a, b = (cavs.load_data("random-trees:train=20,test=5", seed=s).train for s in (1, 2))
        self.assertFalse(np.array_equal(a["word"][:50], b["word"][:50]))


class Texts(unittest.TestCase):
    """Every kind of file, from memory and from disk."""

    CASES = {
        "trees": (TREES, "trees:{}", 2, 8),
        "conll": (CONLL, "conll:{}", 2, 3),
        "conllu": (CONLLU * 2, "conllu:{}", 2, 4),
        "jsonl": (JSONL * 3, "jsonl:{}", 3, 9),
        "text": ("the cat sat\nit slept\n", "text:{}", 2, 7),
        "table": ("text,label\na good one,1\nbad,0\n", "table:{},text=text,label=label", 2, 4),
    }

    def test_a_text_in_memory_gives_the_same_data_as_a_file(self):
        for kind, (text, spec, samples, vertices) in self.CASES.items():
            with self.subTest(kind), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "file"
                file.write_text(text)
                read = cavs.load_data(spec.format(file))
                given = cavs.load_data(spec.format("text"), texts={"text": text})
                self.assertEqual((len(given.train), given.train.vertices), (samples, vertices))
                self.assertEqual((given.words, given.class_names, given.classes), (read.words, read.class_names, read.classes))
                for port in read.train.ports + read.train.edge_ports:
                    np.testing.assert_array_equal(given.train[port], read.train[port])

    def test_two_parts_and_translations(self):
        data = cavs.load_data("trees:train=a,dev=b", texts={"a": TREES, "b": TREES})
        self.assertEqual((len(data.train), len(data.dev)), (2, 2))
        pairs = cavs.load_data("parallel:de+en", texts={"de": "ein Hund\n", "en": "a dog\n"})
        self.assertEqual(pairs.train.type_names, ["encoder", "decoder"])
        self.assertIn("Hund", pairs.words)

    def test_messages_name_the_text(self):
        for spec, texts, message in [("trees:a", {"a": "(3 (2 It)"}, "a:1"), ("jsonl:a", {"a": "{"}, "a:1"),
                                     ("trees:a", {"b": TREES}, "a text 'b'"), ("trees:a", {}, "a"),
                                     ("listops", {"x": ""}, "a text 'x'")]:
            with self.subTest(spec), self.assertRaisesRegex(cavs.Error, message):
                cavs.load_data(spec, texts=texts)


class RealData(FolderCase):
    def load(self, spec, folder, **options):
        return cavs.load_data(spec.format(self.real_data(folder)), limit=50, **options)

    def test_real_data_sets_are_read(self):
        for folder, spec, types in [
                ("sst", "sst:{}", ["leaf", "inner"]), ("sick", "sick:{}", None), ("weibo", "weibo:{}", None),
                ("gum_const", "trees:train={0}/dev.ptb.gz,dev={0}/dev.ptb.gz", ["leaf", "inner"]),
                ("wikigold", "conll:train={0}/train.conll,dev={0}/dev.conll", ["token"]),
                ("ud_ewt", "conllu:{}/en_ewt-ud-dev.conllu.gz", ["leaf", "inner"]),
                ("multi30k_ende", "parallel:{0}/dev.de.gz+{0}/dev.en.gz", ["encoder", "decoder"]),
                ("wikitext2", "text:{}/wiki.valid.tokens.gz,vocabulary=5000", ["token"])]:
            with self.subTest(folder):
                data = self.load(spec, folder)
                self.assertEqual(len(data.train), 50)
                if types:
                    self.assertEqual(data.train.type_names, types)

    def test_text_is_streamed(self):
        data = self.load("text:{}/wiki.valid.tokens.gz,vocabulary=500", "wikitext2", stream=True)
        self.assertEqual((data.streamed, data.samples, len(data.train)), (True, 50, 0))


class Trees(unittest.TestCase):
    def test_nested_lists_are_brackets(self):
        text = cavs.from_trees(TREES)
        nested = cavs.from_trees([(3, (2, "It"), [4, (3, "works"), (2, ".")]), "(1 (2 no) (1 way))"])
        self.assertEqual((nested.words, nested.classes), (text.words, 5))
        for array in ("children", "child_offsets", "types"):
            np.testing.assert_array_equal(getattr(nested.train, array), getattr(text.train, array))
        for port in ("word", "label"):
            np.testing.assert_array_equal(nested.train[port], text.train[port])

    def test_class_names_two_parts_and_brackets_inside_words(self):
        data = cavs.from_trees([("NP", ("D", "the"), ("N", "(dog)"))], dev=[("NP", ("N", "cat"), ("N", "x"))])
        self.assertEqual(data.class_names, ["D", "N", "NP"])
        self.assertIn("(dog)", data.words)
        self.assertEqual(len(data.dev), 1)

    def test_a_deep_tree(self):
        tree = (1, "a")
        for _ in range(20000):
            tree = (1, tree, (1, "b"))
        self.assertEqual(cavs.from_trees([tree]).train.vertices, 40001)

    def test_refuses_values_that_are_not_trees(self):
        for trees, message in [([(3, (2, "New York"))], "train tree 0: 'New York'"), ([(3, (2, 1.5))], "1.5"),
                               ([5], "tree 0 is of type int"), ([(3, (2, ""))], "''"), ([()], "train:1"),
                               ([(3, (2, True))], "True"), ("(3 (2 It)", "train:1"), ([], "train")]:
            with self.subTest(str(trees)), self.assertRaisesRegex(cavs.Error, message):
                cavs.from_trees(trees)


class JsonLines(unittest.TestCase):
    def test_dicts_are_lines(self):
        data = cavs.from_jsonl([json.loads(JSONL)] * 2, dev=JSONL)
        self.assertEqual((len(data.train), len(data.dev), data.rows("kind")), (2, 1, 2))
        self.assertEqual(data.edge_names, {"kind": ["left", "right"]})
        np.testing.assert_array_equal(data.train["kind"], [0, 1, 0, 1])
        with self.assertRaisesRegex(cavs.Error, "train:1: .*child"):
            cavs.from_jsonl([{"children": [[0]]}])


class NetworkX(unittest.TestCase):
    def setUp(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("networkx is not installed")
        self.nx = networkx

    def diamond(self):
        g = self.nx.DiGraph()
        g.add_node("a", word=3, x=0.5, kind="leaf")
        g.add_node("b", word=4, kind="leaf")
        g.add_node("c", x=2.5, kind="inner")
        g.add_edge("b", "c", order=2, length=[1.0, 2.0])
        g.add_edge("a", "c", order=1)
        g.add_edge("a", "b", order=5, length=(3.0, 4.0))
        return g

    def test_attributes_are_ports(self):
        g = cavs.from_networkx([self.diamond(), self.diamond()], type="kind")
        self.assertEqual((len(g), g.vertices, g.edges), (2, 6, 6))
        self.assertEqual(g.type_names, ["leaf", "inner"])
        np.testing.assert_array_equal(g.types, [0, 0, 1] * 2)
        np.testing.assert_array_equal(g.child_offsets, [0, 0, 1, 3, 3, 4, 6])
        np.testing.assert_array_equal(g.children, [0, 0, 1] * 2)  # networkx lists a's edges first
        np.testing.assert_array_equal(g["word"], [3, 4, -1] * 2)
        np.testing.assert_array_equal(g["x"].ravel(), [0.5, np.nan, 2.5] * 2)
        np.testing.assert_array_equal(g["order"], [5, 1, 2] * 2)
        np.testing.assert_array_equal(g["length"][:3], [[3, 4], [np.nan, np.nan], [1, 2]])

    def test_edges_of_networkx_trees_lead_from_parents(self):
        tree = self.nx.balanced_tree(2, 2, create_using=self.nx.DiGraph)
        g = cavs.from_networkx(tree, children="successors")
        np.testing.assert_array_equal(g.children, [1, 2, 3, 4, 5, 6])
        self.assertEqual(len(g), 1)

    def test_refuses_graphs_that_are_not_acyclic_and_directed(self):
        nx = self.nx
        words = nx.DiGraph()
        words.add_node(0, word="the")
        mixed = nx.DiGraph()
        mixed.add_node(0, x=[1.0, 2.0]), mixed.add_node(1, x=[1.0])
        for graph, options, message in [
                (nx.path_graph(3), {}, "undirected"), (nx.DiGraph([(0, 1), (1, 0)]), {}, "cycle|ancestor|own"),
                (words, {}, "'word' has 'the'"), (mixed, {}, "one width"), (nx.DiGraph(), {}, "sizes has 0"),
                (nx.DiGraph([(0, 1)]), {"children": "no"}, "children is 'no'"),
                (nx.DiGraph([(0, 1)]), {"type": "kind"}, "kind None")]:
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                cavs.from_networkx(graph, **options)


def pyg(**members):
    return types.SimpleNamespace(**members)


class PyTorchGeometric(unittest.TestCase):
    EDGES = np.array([[0, 1], [2, 2]])

    def test_members_are_ports(self):
        x = np.arange(6, dtype=np.float32).reshape(3, 2)
        sample = pyg(edge_index=self.EDGES, x=x, edge_attr=np.array([[5], [7]]), y=np.array([1]))
        g = cavs.from_pyg([sample, sample])
        self.assertEqual((len(g), g.vertices, g.ports, g.edge_ports), (2, 6, ["label", "x"], ["edge_attr"]))
        np.testing.assert_array_equal(g["x"], np.concatenate([x, x]))
        np.testing.assert_array_equal(g["label"], [-1, -1, 1] * 2)
        np.testing.assert_array_equal(g["edge_attr"], [5, 7] * 2)

    def test_columns_of_integers_names_and_targets_of_vertices(self):
        sample = pyg(edge_index=self.EDGES, x=np.array([[1, 2], [3, 4], [5, 6]]), edge_attr=None,
                     y=np.array([0.5, 1.5, 2.5]), num_nodes=3)
        g = cavs.from_pyg(sample, names={"x": "word", "y": "score"})
        self.assertEqual(g.ports, ["word_0", "word_1", "score"])
        np.testing.assert_array_equal(g["word_1"], [2, 4, 6])
        np.testing.assert_array_equal(g["score"].ravel(), [0.5, 1.5, 2.5])

    def test_refuses(self):
        x = np.ones((3, 2), np.float32)
        for samples, message in [
                (pyg(edge_index=np.array([[0, 1], [1, 0]]), x=x), "edges in both directions"),
                (pyg(edge_index=np.array([[0], [7]]), x=x), "0 to 2"),
                (pyg(edge_index=np.array([0, 1]), x=x), r"\[2\]"),
                (pyg(edge_index=self.EDGES * 1.0, x=x), "float64"),
                (pyg(edge_index=self.EDGES, x=x, y=np.ones(2)), "y has 2 rows"),
                ([pyg(edge_index=self.EDGES, x=x), pyg(edge_index=self.EDGES, x=None, num_nodes=3)], "1 of 2 samples"),
                ([pyg(edge_index=self.EDGES, x=x), pyg(edge_index=self.EDGES, x=x[:, :1])], "differs"),
                (pyg(edge_index=self.EDGES, x=np.array([["a"]] * 3)), "dtype")]:
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                cavs.from_pyg(samples)


class OwnGraphs(unittest.TestCase):
    def test_words_and_tags_reach_the_trained_model(self):
        given = cavs.load_data("random-trees:train=30,test=10,leaves=4,vocabulary=20")
        tags = [f"c{i}" for i in range(given.classes)]
        data = cavs.Dataset.from_graphs(given.train, given.dev, words=given.words, class_names=tags)
        self.assertEqual((data.rows("word"), data.classes), (given.rows("word"), given.classes))
        trained = cavs.fit(tree_lstm(4, 4, data.rows("word"), data.classes), data, epochs=1, progress=False)
        self.assertEqual((trained.words, trained.class_names), (given.words, tags))
        self.assertEqual(len(trained.predict_text("(c0 (c1 w3) (c2 w5))")), 1)

    def test_refuses_what_does_not_fit(self):
        given = cavs.load_data("random-trees:train=30,test=10,leaves=4,vocabulary=20")
        other = cavs.Graphs.from_arrays([0, 1], [0, 0], [])
        for use in [lambda: cavs.Dataset.from_graphs(given.train, other),
                    lambda: cavs.Dataset.from_graphs(given.train, class_names=["one"]),
                    lambda: cavs.Dataset.from_graphs(given.train, words=["a", "a"])]:
            with self.assertRaises(cavs.Error):
                use()


class Generators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.data = cavs.load_data("random-trees:train=64,test=16,leaves=5,vocabulary=20")

    def model(self):
        return tree_lstm(6, 8, self.data.rows("word"), self.data.classes)

    def stream(self, function=None, **options):
        train = self.data.train
        function = function or (lambda: (train[i] for i in range(len(train))))
        return cavs.Dataset.from_generator(function, dev=self.data.dev, **options)

    def test_without_shuffling_results_equal_data_in_memory(self):
        options = dict(batch_size=10, shuffle=False)
        a = cavs.Trainer(self.model(), self.data, **options)
        b = cavs.Trainer(self.model(), self.stream(samples=64), **options)
        self.assertEqual((b.steps_per_epoch, a.steps_per_epoch), (7, 7))
        for _ in range(16):
            self.assertEqual(a.step().loss, b.step().loss)

    def test_shuffled_and_resumed_training_equals_training_without_a_stop(self):
        with tempfile.TemporaryDirectory() as folder:
            half = f"{folder}/half"

            def trainer():
                return cavs.Trainer(self.model(), self.stream(), batch_size=10, shuffle_buffer=20)
            first = trainer()
            for _ in range(9):
                first.step()
            first.save(half)
            second = trainer()
            second.resume(half)
            reference = trainer()
            for _ in range(9):
                reference.step()
            for _ in range(5):
                self.assertEqual(second.step().loss, reference.step().loss)

    def test_counts_samples_and_accepts_several_per_item(self):
        train = self.data.train
        data = self.stream(lambda: [train[:40], train[40:40], train[40:]])
        self.assertEqual((data.samples, data.streamed, len(data.train)), (64, True, 0))
        epochs = []
        cavs.fit(self.model(), data, epochs=2, progress=False, on_epoch=epochs.append)
        self.assertEqual(len(epochs), 2)
        self.assertIsNotNone(epochs[0].dev)

    def test_an_exception_is_passed_on_with_the_number_of_the_sample(self):
        calls = []

        def samples():
            calls.append(1)
            for i in range(64):
                if len(calls) > 1 and i == 30:
                    raise LookupError("mine")
                yield self.data.train[i]
        trainer = cavs.Trainer(self.model(), self.stream(samples, samples=64), batch_size=10, shuffle=False)
        with self.assertRaises(LookupError) as raised:
            while True:
                trainer.step()
        self.assertEqual(str(raised.exception), "mine")
        self.assertIn("sample 30", raised.exception.__notes__[0])
        self.assertEqual(trainer.steps, 2)

    def test_a_network_and_a_background_step(self):
        m = cavs.Model()
        E, W = m.lookup("E", (self.data.rows("word"), 6)), m.parameter("W", (6, self.data.classes))

        @m.vertex_function("embed", over=["leaf", "inner"])
        def embed(v):
            v.push(x=E(v.pull_index("word")))

        @m.vertex_function("cell", over=["leaf", "inner"])
        def cell(v):
            h = cavs.tanh(v.pull("x", 6) + v.children("h").sum())
            v.scatter(h=h)
            v.loss(cavs.softmax_cross_entropy(h @ W, v.pull_index("label")))
        m.connect(("embed", "x"), ("cell", "x"))
        trainer = cavs.Trainer(m, self.stream(samples=64), batch_size=16)
        running = [trainer.start() for _ in range(6)]  # the generator is called on the trainer's thread
        self.assertGreater(running[-1].wait().loss, 0)
        trainer.start()
        del trainer  # while the step runs

    def test_a_cycle_through_a_generator_is_collected(self):
        case = self

        class Holder:
            def __init__(self):
                self.data = case.stream(self.samples, samples=64)
                self.trainer = cavs.Trainer(case.model(), self.data)
                self.trainer.step()

            def samples(self):
                return iter(case.data.train)
        holder = Holder()
        gone = weakref.ref(holder)
        del holder
        gc.collect()
        self.assertIsNone(gone())

    def test_refuses_values_that_are_not_functions_of_graphs(self):
        train = self.data.train
        shorter = iter([list(range(64)), list(range(20))])

        def fewer():
            return (train[i] for i in next(shorter, range(20)))
        trainer = cavs.Trainer(self.model(), self.stream(fewer), batch_size=10, shuffle=False)
        with self.assertRaisesRegex(cavs.Error, "ended after 20 samples; expected 64"):
            while True:
                trainer.step()
        other = cavs.Graphs.from_arrays([0, 1], [0, 0], [])
        for function, options, error, message in [
                ((train[i] for i in range(3)), {}, TypeError, "pass the function itself"),
                (train, {}, TypeError, "function"),
                (lambda: [], {}, cavs.Error, "no sample"), (lambda: [1], {}, cavs.Error, "type int"),
                (lambda: [train[0], other], {}, cavs.Error, "sample 1 .*other types"),
                (lambda: [train], {"samples": 0}, cavs.Error, "samples is 0"), (lambda: 5, {}, TypeError, "iterable")]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                self.stream(function, **options)
        for use in [lambda: cavs.Trainer(self.model(), self.stream(), buckets=4),
                    lambda: cavs.Trainer(self.model(), self.stream(), shuffle_buffer=0)]:
            with self.assertRaises(cavs.Error):
                use()


if __name__ == "__main__":
    unittest.main()
