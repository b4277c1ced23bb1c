"""Programs, schedules and graphs as text and as drawings."""

import unittest
import xml.etree.ElementTree as ElementTree

import cavs
from cases import FolderCase
from models import tree_lstm

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    """The texts in a drawing, which must be an SVG."""
    root = ElementTree.fromstring(svg)
    assert root.tag == SVG + "svg", root.tag
    return [element.text for element in root.iter(SVG + "text")]


class Inspect(FolderCase):
    @classmethod
    def setUpClass(cls):
        cls.data = cavs.load_data("random-trees:train=6,test=2,leaves=5,vocabulary=30")
        cls.model = tree_lstm(4, 6, cls.data.rows("word"), cls.data.classes)

    def test_a_program_has_f_and_its_gradient(self):
        program = self.model.compile()
        text = repr(program)
        for part in ["vertex function 'tree_lstm'\nF:\n", "∂F:\n", 'children("h")', "scatter("]:
            self.assertIn(part, text)
        self.assertNotIn("∂F", repr(self.model.compile(training=False)))
        self.assertEqual([f.name for f in program.functions], ["tree_lstm"])
        self.assertEqual(repr(program.functions[0]), text)
        self.assertEqual(program.fingerprint, self.model.fingerprint)
        self.assertIn("matmul", program.instructions())
        self.assertGreater(len(program.passes), 0)
        self.assertNotEqual(repr(self.model.compile(disabled_passes=["share_lookups"])), text)
        with self.assertRaises(cavs.Error):
            self.model.compile(disabled_passes=["no"])

    def test_prints_the_same_as_the_command(self):
        shown = self.command("inspect", "tree-gru", "--embedding", 8, "--hidden", 12)
        ours = "\n".join(repr(f) for f in cavs.zoo("tree-gru", embedding=8, hidden=12).compile().functions)
        self.assertEqual(shown.strip(), ours.strip())

    def test_drawings_of_a_function(self):
        f = self.model.compile().functions[0]
        shown = texts(f._repr_svg_())
        self.assertIn("vertex function 'tree_lstm'", shown)
        self.assertTrue(any('children("h")' in text for text in shown))
        values = repr(f).split("∂F:")[0].count("\n") - 2
        boxes = ElementTree.fromstring(f._repr_svg_()).findall(SVG + "rect")
        self.assertEqual(len(boxes), values + 1)  # one box is the background
        self.assertGreater(len(texts(f.svg(gradient=True))), len(shown))
        self.assertTrue(f.dot().startswith("digraph model {"))

    def test_boxes_do_not_overlap(self):
        for name in ("tree-lstm-relatedness", "bilstm-crf", "mv-rnn"):
            for f in cavs.zoo(name).compile().functions:
                root = ElementTree.fromstring(f.svg(gradient=True))
                boxes = [[float(b.get(key)) for key in ("x", "y", "width", "height")]
                         for b in root.findall(SVG + "rect") if b.get("x")]
                width, height = float(root.get("width")), float(root.get("height"))
                for i, (x, y, w, h) in enumerate(boxes):
                    self.assertTrue(0 <= x and x + w <= width and 0 <= y and y + h <= height, (name, f.name))
                    for a, b, c, d in boxes[:i]:
                        self.assertTrue(x >= a + c or a >= x + w or y >= b + d or b >= y + h, (name, f.name))

    def test_html_escapes_names(self):
        m = cavs.Model()
        m.parameter("<script>", 2)
        m.vertex_function("a<b>")(lambda v: v.push("p&q", v.pull("<i>", 2)))
        for page in (m._repr_html_(), m.compile()._repr_html_()):
            ElementTree.fromstring(f"<div>{page}</div>")
            self.assertNotIn("<script>", page)
            self.assertNotIn("<i>", page)
        self.assertIn("&lt;script&gt;", m._repr_html_())

    def test_a_schedule(self):
        schedule = self.model.schedule(self.data.train, [0, 1])
        self.assertEqual(sum(vertices for _, vertices in schedule.tasks),
                         self.data.train.sample_begin[2])
        self.assertEqual(len(schedule), len(schedule.tasks))
        self.assertGreaterEqual(len(schedule), schedule.lower_bound)
        self.assertIn("lower bound", repr(schedule))
        self.assertIn("step 0: tree_lstm{", schedule.vertices())
        serial = self.model.schedule(self.data.train, [0, 1], policy="serial")
        self.assertEqual(len(serial), self.data.train.sample_begin[2])
        circles = ElementTree.fromstring(schedule._repr_svg_()).findall(SVG + "circle")
        self.assertEqual(len(circles), self.data.train.sample_begin[2])
        self.assertIn("frontier: ", texts(schedule.svg())[0])
        self.assertTrue(schedule.dot().startswith("digraph schedule {"))
        for use in [lambda: self.model.schedule(self.data.train, [99]), lambda: self.model.schedule(self.data.train, []),
                    lambda: self.model.schedule(self.data.train, policy="no")]:
            with self.assertRaises(cavs.Error):
                use()

    def test_a_sample(self):
        drawing = self.data.train.draw(1, self.data.words)
        vertices = self.data.train.sample_begin[2] - self.data.train.sample_begin[1]
        root = ElementTree.fromstring(drawing._repr_svg_())
        self.assertEqual(len(root.findall(SVG + "circle")), vertices)
        self.assertEqual(len(root.findall(SVG + "path")), vertices - 1)
        words = [self.data.words[w] for w in self.data.train["word"][self.data.train.sample_begin[1]:][:vertices]
                 if w >= 0]
        self.assertTrue(set(words) <= set(texts(drawing.svg())))
        for word in words:
            self.assertIn(word, repr(drawing))
        self.assertIn("─", repr(drawing))
        for use in [lambda: self.data.train.draw(99), lambda: self.data.train.draw(-1)]:
            with self.assertRaises(cavs.Error):
                use()

    def test_graphs_that_are_too_large_to_draw_are_printed(self):
        n = 1500
        graphs = cavs.Graphs.from_edges([n], list(range(n - 1)), list(range(1, n)))
        drawing = graphs.draw()
        self.assertIn("more vertices", repr(drawing))
        with self.assertRaisesRegex(cavs.Error, "at most 1000"):
            drawing.svg()


if __name__ == "__main__":
    unittest.main()
