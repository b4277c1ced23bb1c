"""Custom element-wise operators, and the lines that errors of declarations point to."""

import traceback
import unittest

import numpy as np

import cavs
from vertices import X, rows, run, values


class Signs(unittest.TestCase):
    def test_of_values_behave_as_in_numpy(self):
        whole = np.array([[-2, -1, 0], [1, 2, 3]], np.float32)
        for ours in [lambda a, b: a >= b, lambda a, b: a <= b, lambda a, b: a > b, lambda a, b: a < b,
                     lambda a, b: a ** 2 + abs(a), lambda a, b: (a * a + b * b) ** 0.5, lambda a, b: (2 - a) / (b * b + 1)]:
            y = values(lambda x: ours(x, cavs.concat(x[1:3], x[0:1])), whole)
            expected = np.asarray(ours(whole, np.roll(whole, -1, axis=1)), np.float32)
            np.testing.assert_allclose(y, expected, rtol=1e-6)
        y, dx = run(lambda v, x: x ** 2, whole)
        np.testing.assert_allclose(dx, 2 * whole)
        np.testing.assert_array_equal(values(lambda x: x * (x >= 1) * (2 <= x), whole), whole * (whole >= 2))
        with self.assertRaisesRegex(cavs.Error, "exponent is 3"):
            values(lambda x: x ** 3, whole)


class Elementwise(unittest.TestCase):
    def test_the_gradient_is_derived(self):
        @cavs.elementwise
        def swish(x):
            """x times its sigmoid."""
            return x * cavs.sigmoid(x)

        self.assertEqual((swish.name, swish.inputs, swish.doc), ("swish", ["x"], "x times its sigmoid."))
        y, dx = run(lambda v, x: swish(x), X)
        s = 1 / (1 + np.exp(-X))
        np.testing.assert_allclose(y, X * s, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(dx, s + X * s * (1 - s), rtol=1e-5, atol=1e-6)

    def test_every_function_of_scalars(self):
        z = np.abs(X) + 0.25
        cases = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt, "abs": np.abs, "tanh": np.tanh,
                 "sigmoid": lambda a: 1 / (1 + np.exp(-a)), "sin": np.sin, "cos": np.cos}
        for name, expected in cases.items():
            with self.subTest(name):
                y, dx = run(lambda v, x: cavs.elementwise(name=f"own_{name}")(lambda a: getattr(cavs, name)(a))(x), z)
                np.testing.assert_allclose(y, expected(z.astype(np.float64)), rtol=1e-5)
                slope = (expected(z + 1e-3) - expected(z - 1e-3)) / 2e-3
                np.testing.assert_allclose(dx, slope, rtol=1e-2, atol=1e-3)
        for name, expected in [("floor", np.floor), ("round", np.round), ("sign", np.sign)]:
            with self.subTest(name):
                y, dx = run(lambda v, x: cavs.elementwise(name=f"own_{name}")(lambda a: getattr(cavs, name)(a) + a)(x), X)
                np.testing.assert_allclose(y, expected(X) + X, rtol=1e-6)
                np.testing.assert_array_equal(dx, np.ones_like(X))
        y, dx = run(lambda v, x: cavs.elementwise(name="own_erf")(lambda a: cavs.erf(a))(x), [[0.5]])
        self.assertAlmostEqual(float(y[0, 0]), 0.5204999, places=5)
        self.assertAlmostEqual(float(dx[0, 0]), 2 / np.sqrt(np.pi) * np.exp(-0.25), places=5)

    def test_powers_at_zero_and_below(self):
        x = np.array([[0, -2, 3]], np.float32)
        own = cavs.elementwise(name="own_square")(lambda a: cavs.pow(a, 2.0))
        for name, square in [("operator", lambda x: cavs.pow(x, 2.0)), ("number", own)]:
            with self.subTest(name):
                y, dx = run(lambda v, x: square(x), x)
                np.testing.assert_allclose(y, x ** 2, rtol=1e-5)
                np.testing.assert_allclose(dx, 2 * x, rtol=1e-5)

    def test_signs_and_numbers(self):
        cases = [(lambda a, b: a + b - 1, lambda a, b: a + b - 1), (lambda a, b: 2 - a * b, lambda a, b: 2 - a * b),
                 (lambda a, b: 3 * a / (b * b + 1), lambda a, b: 3 * a / (b * b + 1)),
                 (lambda a, b: -abs(a) + 1 / (2 + b), lambda a, b: -np.abs(a) + 1 / (2 + b)),
                 (lambda a, b: cavs.max(a, b) + cavs.min(0, a) + cavs.max(b, 0.5),
                  lambda a, b: np.maximum(a, b) + np.minimum(0, a) + np.maximum(b, 0.5)),
                 (lambda a, b: a * (a > 0) + b * (b < a) + (0.5 < b) * b,
                  lambda a, b: a * (a > 0) + b * (b < a) + (0.5 < b) * b),
                 (lambda a, b: cavs.pow(abs(a) + 0.5, b) + cavs.pow(2, a) + cavs.pow(b, 2),
                  lambda a, b: (np.abs(a) + 0.5) ** b + 2.0 ** a + b ** 2),
                 (lambda a, b: cavs.keep(a > 0, b) + cavs.keep(a > 0, 2) + cavs.keep(0, cavs.log(a - 1e6)),
                  lambda a, b: np.where(a > 0, b + 2, 0)),
                 (lambda a, b: cavs.greater(1, a) + cavs.equal(a, a) * b, lambda a, b: (1 > a) + b)]
        for number, (ours, expected) in enumerate(cases):
            with self.subTest(number):
                op = cavs.elementwise(name="own")(ours)
                y, _ = run(lambda v, x: op(x, x[0:3] * 0.5), X)
                np.testing.assert_allclose(y, expected(X, X * np.float32(0.5)), rtol=1e-5, atol=1e-6)

    def test_a_custom_gradient(self):
        @cavs.elementwise(gradient=lambda dy, y, x: dy)
        def step(x):
            return x > 0

        y, dx = run(lambda v, x: step(x), X)
        np.testing.assert_array_equal(y, X > 0)
        np.testing.assert_array_equal(dx, np.ones_like(X))

        @cavs.elementwise(gradient=lambda dy, y, a, b: (dy * b, 0))
        def left(a, b):
            return a * b

        _, dx = run(lambda v, x: left(x, x), X)
        np.testing.assert_allclose(dx, X)

    def test_an_expression_may_be_a_number(self):
        y = values(cavs.elementwise(name="own")(lambda x: 1.5), X)
        np.testing.assert_array_equal(y, np.full_like(X, 1.5))

    def test_arguments_with_a_default_are_not_inputs(self):
        @cavs.elementwise
        def scaled(x, by=3):
            return x * by

        self.assertEqual(scaled.inputs, ["x"])
        np.testing.assert_allclose(run(lambda v, x: scaled(x), X)[0], 3 * X)

    def test_a_model_keeps_its_operators(self):
        @cavs.elementwise
        def cubed(x):
            return x * x * x

        m = cavs.Model()
        m.vertex_function("vertex")(lambda v: v.push(y=cubed(v.pull("x", 3))))
        self.assertIn("cubed(x0) = ", str(m))
        again = cavs.Model.from_json(m.to_json())
        del cubed, m
        y = cavs.Session(again, training=False).forward(rows(X)).output("y")
        np.testing.assert_allclose(y, X**3, rtol=1e-5)

    def test_refuses(self):
        def wrong(f, **options):
            return lambda: cavs.elementwise(**{"name": "own", **options})(f)

        kept = []
        cavs.elementwise(name="own")(lambda x: kept.append(x) or x)
        cases = [(wrong(lambda: 1.0), cavs.Error, "0 inputs"), (wrong(lambda x: x, name="tanh"), cavs.Error, "'tanh'"),
                 (wrong(lambda x: x, name="a b"), cavs.Error, "'a b'"),
                 (lambda: cavs.elementwise(lambda x: x), cavs.Error, "<lambda>"),
                 (wrong(lambda *x: x[0]), cavs.Error, r"\*x"), (wrong(lambda x: "a"), TypeError, "returns a str"),
                 (wrong(lambda x: x if x > 0 else -x), cavs.Error, "symbolic"),
                 (wrong(lambda x: x + kept[0]), cavs.Error, "two expressions"),
                 (wrong(lambda x: x * float("inf")), cavs.Error, "finite"),
                 (wrong(lambda x: x + "a"), TypeError, "unsupported"),
                 (wrong(lambda x: sum(x for _ in range(300))), cavs.Error, "instructions"),
                 (wrong(lambda x: sum(x for _ in range(40_000))), cavs.Error, "instructions"),
                 (wrong(lambda x: x, gradient=lambda dy, y, x: (dy, dy)), cavs.Error, "1 inputs"),
                 (wrong(lambda x: x, gradient=lambda dy, y, x: dy * dy), cavs.Error, "not linear"),
                 (wrong(lambda x: x, gradient=lambda dy: dy), TypeError, "positional"),
                 (wrong(lambda *, x: x), cavs.Error, "x"), (lambda: kept[0] + 0 and None, cavs.Error, "symbolic")]
        for number, (use, error, message) in enumerate(cases):
            with self.subTest(number):
                with self.assertRaisesRegex(error, message):
                    use()
        self.assertIsInstance(cavs.exp(kept[0]), cavs.Scalar)

    def test_two_operators_with_the_same_name_in_a_model(self):
        m = cavs.Model()
        one, two = cavs.elementwise(name="own")(lambda x: x), cavs.elementwise(name="own")(lambda x: x * 2)
        with self.assertRaisesRegex(cavs.Error, "two different operators"):
            m.vertex_function("vertex")(lambda v: v.push(y=one(v.pull("x", 2)), z=two(v.pull("x", 2))))
            m.compile()


class ErrorsNameTheLine(unittest.TestCase):
    """The traceback of an error ends at the line in the user's function."""

    def line_of(self, function, message, setup=lambda m: None):
        m = cavs.Model()
        setup(m)
        try:
            m.vertex_function("cell")(lambda v: function(m, v))
        except cavs.Error as error:
            self.assertRegex(str(error), message)
            frames = traceback.extract_tb(error.__traceback__)
            self.assertEqual(frames[-1].filename, __file__)
            return frames[-1].line
        self.fail("expected an error")

    def test_of_a_layer(self):
        def cell(m, v):
            hidden = cavs.Linear(m, "hidden", 5, 4)
            v.push(y=hidden(v.pull("x", 3)))  # 3 features instead of 5

        self.assertIn("3 features instead of 5", self.line_of(cell, r"\[\*, 3\], hidden_W is \[5, 4\]"))

    def test_of_a_layer_that_is_declared_twice(self):
        def cell(m, v):
            cavs.LstmCell(m, "a", 3, 4)
            cavs.LstmCell(m, "a", 3, 5)  # of another size

        self.assertIn("of another size", self.line_of(cell, "a_W"))

    def test_of_a_step_along_a_chain(self):
        def cell(m, v):
            cavs.GruCell(m, "", 3, 4).step(v, v.pull("x", 2))  # 2 features instead of 3

        self.assertIn("2 features instead of 3", self.line_of(cell, r"\[\*, 2\]"))

    def test_of_a_custom_operator(self):
        add = cavs.elementwise(name="own_add")(lambda a, b: a + b)

        def cell(m, v):
            x, y = v.pull("x", 3), v.pull("y", 4)
            v.push(z=add(x, y))  # 3 and 4 features

        def lone(m, v):
            add(v.pull("x", 3))  # 1 of 2 inputs

        self.assertIn("3 and 4 features", self.line_of(cell, "own_add"))
        self.assertIn("1 of 2 inputs", self.line_of(lone, "own_add"))

    def test_inside_a_custom_operator(self):
        def expression(x):
            return x * float("nan")  # NaN

        with self.assertRaisesRegex(cavs.Error, "nan"):
            cavs.elementwise(expression)
        try:
            cavs.elementwise(name="own")(lambda x: x * (1 / 0))  # ZeroDivisionError in the user's code
            self.fail("expected an error")
        except ZeroDivisionError as error:
            self.assertIn("the user's", traceback.extract_tb(error.__traceback__)[-1].line)

    def test_a_layer_with_an_invalid_size(self):
        for size in (0, -1, 2**31 - 1):
            with self.assertRaises(cavs.Error):
                cavs.LstmCell(cavs.Model(), "", 3, size)


if __name__ == "__main__":
    unittest.main()
