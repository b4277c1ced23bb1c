"""The package: its requirements, its docstrings, and leaks at exit."""

import importlib.metadata
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

import cavs

ROOT = pathlib.Path(__file__).resolve().parents[2]


def members(scope, prefix):
    """(name, object) of all public members of a module or a class, except those of `object` or Exception."""
    inherited = set(dir(Exception)) if inspect.isclass(scope) and issubclass(scope, Exception) else set(dir(object))
    for name in dir(scope):
        thing = inspect.getattr_static(scope, name)
        if inspect.ismodule(thing) or name in inherited or (name.startswith("_") and name not in {"__call__"}):
            continue
        yield f"{prefix}.{name}", thing
        if inspect.isclass(thing):
            yield from members(thing, f"{prefix}.{name}")


def document(thing):
    """The docstring without nanobind's signatures; for overloads, the first docstring."""
    if isinstance(thing, (staticmethod, classmethod)):
        thing = thing.__func__
    if isinstance(thing, property) and hasattr(thing.fget, "__nb_signature__"):
        thing = thing.fget
    if hasattr(thing, "__nb_signature__"):
        return next((text for _, text, _ in thing.__nb_signature__ if text), None)
    return thing.__doc__


# Declares, trains with callbacks and with a generator, evaluates, and keeps all objects until exit.
PROGRAM = """
import ctypes, sys, cavs
from models import tree_lstm
data = cavs.load_data("random-trees:train=20,test=5,leaves=4,vocabulary=10")
model = tree_lstm(4, 6, data.rows("word"), data.classes)
twice = cavs.elementwise(name="twice")(lambda x: x * 2)
model.extend("tree_lstm", lambda v: v.push(twice=twice(v.scattered("h"))))
reports = []
trained = cavs.fit(model, data, epochs=1, progress=False, metrics={"one": lambda p, d: 1.0}, on_epoch=reports.append,
                   on_step=reports.append)
trainer = None

def samples():
    yield from (data.train[i] for i in range(20) if trainer != 0)  # the trainer will refer to this function
streamed = cavs.Dataset.from_generator(samples, samples=20, words=data.words)
trainer = cavs.Trainer(model, streamed)
pending = trainer.start()
session = cavs.Session(model, trained.parameters)
run = session.forward(data.train)
gradients, view = run.backward(), session.parameters.view("W")
logits = run.output("logits")
try:
    model.vertex_function("wrong")(lambda v: v.push(y=v.pull("x", 3) @ model.parameter("W", (4, 18))))
except cavs.Error as error:
    kept = error
if len(sys.argv) > 1:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(model))
"""


class Package(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        without = [name for name, thing in members(cavs, "cavs")
                   if not isinstance(thing, str) and not (document(thing) or "").strip()]
        self.assertEqual(without, [])

    def test_docstrings_of_important_functions_say_what_they_raise(self):
        said = {name: document(thing) or "" for name, thing in members(cavs, "cavs")}
        for name in ["fit", "load", "Trainer", "Trainer.step", "Trainer.fit", "Trainer.evaluate", "Trainer.save",
                     "Trainer.resume", "Trainer.load_vectors", "TrainedModel.predict", "TrainedModel.predict_text",
                     "TrainedModel.save", "Graphs.from_arrays", "Graphs.concat", "Session.forward", "Run.backward",
                     "Run.pull_gradient"]:
            self.assertIn("Raises Error", said[f"cavs.{name}"], name)

    def test_the_version_is_that_of_the_library(self):
        version = re.search(r'CAVS_VERSION "([0-9.]+)"', (ROOT / "include/cavs/version.h").read_text())[1]
        self.assertEqual(cavs.__version__, version)

    def test_importing_needs_only_numpy(self):
        code = "import sys, json, cavs; print(json.dumps(sorted({m.partition('.')[0] for m in sys.modules})))"
        loaded = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        # cython_runtime belongs to NumPy before version 2.
        foreign = [m for m in loaded if m not in sys.stdlib_module_names
                   and not m.startswith(("_", "cavs", "numpy", "cython_runtime"))]
        self.assertEqual([m for m in foreign if m not in self.loaded_without()], [])

    def test_nothing_leaks_at_exit(self):
        """nanobind reports leaks; an additional reference shows that it does."""
        def said(*arguments):
            path = os.pathsep.join(filter(None, [str(pathlib.Path(__file__).parent), os.environ.get("PYTHONPATH", "")]))
            done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], env={**os.environ, "PYTHONPATH": path},
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stderr
        self.assertEqual(said(), "")
        self.assertRegex(said("leak"), "nanobind: leaked .* instance")

    @staticmethod
    def loaded_without():
        code = "import sys, json; print(json.dumps([m.partition('.')[0] for m in sys.modules]))"
        return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)

    def test_the_wheel_has_metadata(self):
        try:
            about = importlib.metadata.metadata("cavs")
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("the module of a build folder is tested, which is no installed package")
        self.assertEqual(about["Version"], cavs.__version__)
        self.assertEqual(about["License-Expression"], "Apache-2.0")
        self.assertEqual(about["Requires-Python"], ">=3.10")
        self.assertRegex(about["Summary"], "^Dynamic neural networks")
        self.assertIn("pip install", about.get_payload())  # docs/guide/python.md
        classifiers = about.get_all("Classifier")
        for version in ("3.10", "3.11", "3.12", "3.13", "3.14"):
            self.assertIn(f"Programming Language :: Python :: {version}", classifiers)
        self.assertIn("Typing :: Typed", classifiers)
        self.assertEqual(importlib.metadata.requires("cavs"),
                         ["numpy>=1.24", 'nvidia-cuda-nvrtc-cu12; extra == "cuda"'])
        files = {str(file) for file in importlib.metadata.files("cavs")}
        self.assertLessEqual({"cavs/__init__.py", "cavs/py.typed", "cavs/_core.pyi"}, files)


if __name__ == "__main__":
    unittest.main()
