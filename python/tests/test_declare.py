"""Vertex functions that are declared in Python equal those declared in C++."""

import traceback
import unittest

import cavs
from models import tree_lstm


def declared(function, setup=lambda m: None):
    m = cavs.Model()
    setup(m)
    m.vertex_function("f")(function)
    return str(m)


class Declares(unittest.TestCase):
    def test_the_tree_lstm_of_the_zoo(self):
        ours = tree_lstm(embedding=8, hidden=12, words=50, classes=5)
        zoo = cavs.zoo("tree-lstm", embedding=8, hidden=12, vocabulary=50, classes=5)
        self.assertEqual(ours.fingerprint, zoo.fingerprint)
        self.assertNotEqual(ours.fingerprint, cavs.zoo("tree-gru").fingerprint)

    def test_a_model_prints_its_parameters_and_functions(self):
        self.assertEqual(repr(cavs.Model()), "<cavs.Model: 0 parameters of 0 numbers, 0 vertex functions>")
        self.assertEqual(repr(tree_lstm(embedding=2, hidden=3, words=10, classes=5)),
                         f"<cavs.Model: 9 parameters of {20 + 2 * 9 + 3 * 9 + 9 + 2 * 3 + 3 * 3 + 3 + 3 * 5 + 5} numbers, "
                         "1 vertex functions: tree_lstm>")
        network = cavs.Model()
        for name in ("up", "down"):
            network.vertex_function(name, over=["vertex"])(lambda v: v.push(y=v.pull("x", 1)))
        self.assertIn("2 vertex functions: up, down>", repr(network))

    def test_every_listed_operator_is_bound(self):
        def other(v, x, y, i, w):
            return {"slice": lambda: cavs.slice(x, 1, count=2), "part": lambda: cavs.part(x, 0, 2),
                    "reshape": lambda: cavs.reshape(x, (2, 2)), "one_hot": lambda: cavs.one_hot(i, 3),
                    "add_scalar": lambda: cavs.add_scalar(x, 2.0),
                    "each_child": lambda: [v.children("s"), cavs.each_child(x)][1],
                    "multiply_scalar": lambda: cavs.multiply_scalar(x, number=2),
                    "layer_norm": lambda: cavs.layer_norm(x), "dropout": lambda: cavs.dropout(x, 0.5),
                    "concat": lambda: cavs.concat(x, y, x), "matmul": lambda: cavs.matmul(x, w),
                    "matmul_transposed": lambda: cavs.matmul_transposed(x, w),
                    "batch_matmul": lambda: cavs.batch_matmul(x, cavs.reshape(cavs.concat(x, y), (4, 2))),
                    "log_matmul": lambda: cavs.log_matmul(x, w), "max_matmul": lambda: cavs.max_matmul(x, w),
                    "softmax_cross_entropy": lambda: cavs.softmax_cross_entropy(x, i),
                    "unfold": lambda: cavs.unfold(cavs.reshape(x, (2, 2, 1)), (2, 2)),
                    "max_pool2d": lambda: cavs.max_pool2d(cavs.reshape(x, (2, 2, 1)), (2, 2), 2),
                    "average_pool2d": lambda: cavs.average_pool2d(cavs.reshape(x, (2, 2, 1)), (2, 2), 2)}

        two = {"add", "subtract", "multiply", "divide", "max", "min", "greater", "equal", "keep", "pow", "dot",
               "mean_squared_error"}
        made_of_others = {"mean_squared_error", "dropout"}
        self.assertGreater(len(cavs.operator_names()), 45)
        for name in cavs.operator_names():
            with self.subTest(name):
                def f(v):
                    x, y, i = v.pull("x", 4), v.pull("y", 4), v.pull_index("i")
                    special = other(v, x, y, i, m.parameter("w", (4, 4)))
                    v.scatter(s=x)
                    if name in special:
                        value = special[name]()
                    elif name.endswith("_children"):
                        value = getattr(cavs, name)(v.children("s"))
                    else:
                        value = getattr(cavs, name)(*([x, y] if name in two else [x]))
                    self.assertIsInstance(value, cavs.Value)
                    if name not in made_of_others:
                        self.assertIn(f"= {name}(", repr(value))
                m = cavs.Model()
                m.vertex_function("f")(f)

    def test_python_operator_signs(self):
        def f(v):
            x, y = v.pull("x", 4), v.pull("y", 4)
            w, b = m.parameter("w", (4, 2)), m.parameter("b", 4)
            for value, op in [(x + y, "add(%"), (x - y, "subtract"), (x * y, "multiply(%"), (x / y, "divide"),
                              (-x, "negate"), (abs(x), "abs"), (x + 1, "add_scalar"), (2 * x, "multiply_scalar"),
                              (x * b, "multiply(%"), (b + x, "add(%"), (x @ w, "matmul"), (x[1:3], "slice"),
                              (x[:-1], "slice"), (x > y, "greater")]:
                self.assertIn(op, repr(value))
            self.assertEqual(x[1:].shape, (3,))
            self.assertEqual((x @ w).shape, (2,))
            self.assertEqual([p.shape for p in x.split(2)], [(2,), (2,)])
            h = v.children("h")
            self.assertIn("edge", repr(h))
            self.assertIn("sum_children", repr(h.sum()))
            self.assertIn("mean_children", repr(h.mean()))
            self.assertIn("max_children", repr(h.max()))
            v.scatter("h", 1 - x / 2)
        m = cavs.Model()
        m.vertex_function("f")(f)


class Refuses(unittest.TestCase):
    def test_wrong_shapes_at_the_line_of_the_user(self):
        m = cavs.Model()
        W = m.parameter("W", (5, 2))
        try:
            @m.vertex_function
            def cell(v):
                x = v.pull("x", 3)
                y = x @ W  # here
                v.push(y=y)
            self.fail("expected an error")
        except cavs.Error as error:
            self.assertIn("[*, 3], W is [5, 2]", str(error))
            self.assertIn("'cell'", str(error))
            self.assertIn("y = x @ W  # here", [frame.line for frame in traceback.extract_tb(error.__traceback__)])
        self.assertEqual(m.types, [])

    def test_parameters_of_another_model(self):
        old, m = cavs.Model(), cavs.Model()
        W, b = old.parameter("W", (3, 4)), old.parameter("b", (3,))
        m.parameter("W", (3, 400))
        for use, message in [(lambda x: x @ W, r"uses 'W' as a parameter \[3, 4\], the model has a parameter 'W' \[3, 400\]"),
                             (lambda x: x + b, "uses 'b' .*no such parameter")]:
            with self.subTest(message), self.assertRaisesRegex(cavs.Error, message):
                m.vertex_function("f")(lambda v: v.push(y=use(v.pull("x", 3))))
        self.assertEqual(m.types, [])

    def test_comparisons_that_python_would_evaluate(self):
        for compare in (lambda v, x, w: x == 1, lambda v, x, w: x != x, lambda v, x, w: 1 == x, lambda v, x, w: w == 0,
                        lambda v, x, w: w != 0, lambda v, x, w: 1 if w else 0):
            m = cavs.Model()
            with self.assertRaisesRegex(cavs.Error, "is symbolic"):
                m.vertex_function("f")(lambda v: compare(v, v.pull("x", 3), v.pull_index("w")))
        with self.assertRaisesRegex(cavs.Error, "a Scalar is symbolic.*cavs.equal"):
            cavs.elementwise(lambda x: (x == 0) * 1.0)
        self.assertEqual(len({hash(x) for x in self.values()}), 2)

    def values(self):
        found = []
        cavs.Model().vertex_function("f")(lambda v: found.extend([v.pull("x", 3), v.pull_index("w")]))
        return found

    def test_values_that_outlive_their_function(self):
        kept = []
        m = cavs.Model()

        @m.vertex_function
        def cell(v):
            kept.extend([v, v.pull("x", 2), v.pull_index("i")])
            v.push(y=kept[1])

        del m
        vertex, x, i = kept
        table = cavs.Model().lookup("t", (3, 2))
        for use in [lambda: x + 1, lambda: x + x, lambda: -x, lambda: x[0:1], lambda: x.split(2), lambda: x.shape,
                    lambda: x.sum(), lambda: cavs.tanh(x), lambda: cavs.dropout(x, 0.1), lambda: table(i),
                    lambda: vertex.pull("x", 2), lambda: cavs.one_hot(i, 2), lambda: x.named("a")]:
            with self.assertRaisesRegex(cavs.Error, "'cell'"):
                use()
        self.assertIn("declared", repr(x))

    def test_values_of_another_function(self):
        m, n = cavs.Model(), cavs.Model()

        def outer(v):
            x = v.pull("x", 2)

            def inner(w):
                w.push(y=w.pull("x", 2) + x)
            n.vertex_function("inner")(inner)
        with self.assertRaisesRegex(cavs.Error, "two vertex functions"):
            m.vertex_function("outer")(outer)

    def test_a_function_inside_another_one(self):
        m = cavs.Model()
        with self.assertRaisesRegex(cavs.Error, "inside another one"):
            m.vertex_function("a")(lambda v: m.vertex_function("b")(lambda w: None))
        m.vertex_function("a")(lambda v: v.push(y=v.pull("x", 1)))
        self.assertEqual(m.types, ["a"])

    def test_values_that_are_not_operands(self):
        cases = [(lambda v, x: x + "a", TypeError), (lambda v, x: x @ "a", TypeError),
                 (lambda v, x: x[::2], cavs.Error), (lambda v, x: x[3:9], cavs.Error), (lambda v, x: x[2:1], cavs.Error),
                 (lambda v, x: x[-9:], cavs.Error), (lambda v, x: x[1], TypeError), (lambda v, x: x.split(3), cavs.Error),
                 (lambda v, x: x.split(0), cavs.Error), (lambda v, x: cavs.tanh(), TypeError),
                 (lambda v, x: cavs.tanh(x, x), TypeError), (lambda v, x: cavs.slice(x, 1), TypeError),
                 (lambda v, x: cavs.slice(x, 1, 2, count=1), TypeError), (lambda v, x: cavs.slice(x, "a", 1), TypeError),
                 (lambda v, x: cavs.tanh(2.0), cavs.Error), (lambda v, x: cavs.concat(), cavs.Error),
                 (lambda v, x: x.sum(), cavs.Error), (lambda v, x: v.scatter(x), TypeError),
                 (lambda v, x: v.scatter(), TypeError), (lambda v, x: v.push("", x), cavs.Error),
                 (lambda v, x: bool(x), cavs.Error), (lambda v, x: v.gather(-1, "h"), cavs.Error),
                 (lambda v, x: v.loss(x), cavs.Error), (lambda v, x: v.scattered("no"), cavs.Error)]
        for number, (use, error) in enumerate(cases):
            with self.subTest(number):
                with self.assertRaises(error):
                    cavs.Model().vertex_function("f")(lambda v: use(v, v.pull("x", 4)))

    def test_unknown_parameters_and_models(self):
        m = cavs.Model()
        m.parameter("W", (2, 3))
        for use in [lambda: m.parameter("W", (3, 2)), lambda: m.parameter("", 2), lambda: m.parameter("a", (0, 1)),
                    lambda: m.lookup("t", 3), lambda: cavs.zoo("tree-lstn"), lambda: cavs.Model.from_json("{}")]:
            with self.assertRaises(cavs.Error):
                use()
        with self.assertRaises(TypeError):
            m.parameter("b", "ab")

    def test_exceptions_of_the_user_are_passed_on(self):
        m = cavs.Model()
        with self.assertRaises(ZeroDivisionError):
            m.vertex_function("f")(lambda v: 1 / 0)
        self.assertEqual(m.types, [])


if __name__ == "__main__":
    unittest.main()
