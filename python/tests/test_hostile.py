"""Calls all members with random arguments: they may raise exceptions, but not crash. Runs in a child process."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import random, sys
import numpy as np, cavs
from models import tree_lstm

data = cavs.load_data("random-trees:train=8,test=4,leaves=4,vocabulary=10")
model = tree_lstm(4, 4, data.rows("word"), data.classes)
trainer = cavs.Trainer(model, data, batch_size=4)
trained = trainer.trained()
session = cavs.Session(model, pull_gradients=True)
run = session.forward(data.train)
kept = []

@model.vertex_function("other", over=["leaf"])
def keep(v):
    kept.extend([v, v.pull("x", 2), v.pull_index("i")])

objects = [cavs, cavs.Graphs, cavs.Dataset, cavs.Initializer, cavs.RowMap, cavs.Model, data, data.train, model, trainer,
           trained, trained.parameters, session, run, run.backward(), cavs.Model(), tree_lstm(4, 4, 10, 5).compile(),
           tree_lstm(4, 4, 10, 5).schedule(data.train), data.train.draw(0), cavs.optimizer("adam"),
           cavs.Linear(model, "l", 2, 3), cavs.LstmCell(model, "c", 2, 3), cavs.elementwise(name="twice")(lambda x: x * 2), *kept]
junk = [None, True, -1, 0, 3, 2**31, 2**70, 0.5, float("nan"), float("inf"), "", "logits", "x" * 300, "a\\0b", "\\udc80",
        b"ab", [], [0], [-1], [0.5], ["a"], {}, {"a": 1}, {"logits": np.ones(3)}, (), (1, 2), object(), print, Exception,
        np.zeros(0), np.arange(3), np.ones((2, 2), np.float32), np.array(["a"]), np.array([None]), np.float32(1),
        np.full(3, np.nan), slice(0, 2), range(3), *objects]
names = ["epochs", "threads", "samples", "ports", "types", "batch_size", "pushes", "progress", "reverse", "over"]
chance = random.Random(int(sys.argv[1]))

def members(thing):
    special = ["__getitem__", "__setitem__", "__contains__", "__call__", "__setstate__", "__copy__", "__init__", "__add__",
               "__rmatmul__", "__iter__", "__len__", "__repr__", "__reduce__"]
    for name in dir(thing):
        if not name.startswith("_") or name in special:
            yield name

def call(thing, name):
    arguments = [chance.choice(junk) for _ in range(chance.randrange(4))]
    named = {chance.choice(names): chance.choice(junk) for _ in range(chance.randrange(3) // 2)}
    if name == "fit" and 2**31 in [*filter(lambda x: type(x) is int, [*arguments, *named.values()])]:
        return 0  # would train for so many epochs
    try:
        got = getattr(thing, name)
        if callable(got):
            got(*arguments, **named)
        elif not isinstance(thing, type) and thing is not cavs:
            setattr(thing, name, arguments[0] if arguments else None)
    except (Exception, KeyboardInterrupt):
        return 1
    return 0

calls = refused = 0
for _ in range(int(sys.argv[2])):
    for thing in objects:
        for name in members(thing):
            if thing is cavs and name in ("_core", "torch"):
                continue
            print(f"{type(thing).__name__}.{name}", file=sys.stderr)
            refused += call(thing, name)
            calls += 1
del run, session
assert np.isfinite(cavs.Trainer(tree_lstm(4, 4, data.rows("word"), data.classes), data, batch_size=4).step().loss)
print(calls, refused)
"""


class Hostile(unittest.TestCase):
    def test_every_member_with_random_arguments(self):
        tests = pathlib.Path(__file__).parent
        path = os.pathsep.join(filter(None, [str(tests), os.environ.get("PYTHONPATH", "")]))
        with tempfile.TemporaryDirectory() as folder:  # for files that a random text names
            done = subprocess.run([sys.executable, "-c", PROGRAM, os.environ.get("CAVS_SEED", "1"), "100"], cwd=folder,
                                  env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        calls, refused = map(int, done.stdout.split()[-2:])
        self.assertGreater(calls, 1000)
        self.assertGreater(refused, calls // 3)


if __name__ == "__main__":
    unittest.main()
