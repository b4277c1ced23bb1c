"""Sphinx: the documents of docs/, and references that are made from the code. Run by scripts/python.sh docs.

The references are the Python package (from its docstrings), the headers of C++ (cpp_reference.py), the `--help` of
every command ($CAVS_COMMAND), and the messages that the tests have written ($CAVS_MESSAGES), if they are there.

Functions of nanobind have their signatures, overloads included, in `__nb_signature__`; autodoc expects them in
docstrings, which this file makes. The reference has everything public: a name that is in no list below is in the last
one.
"""

import functools
import inspect
import os
import pathlib
import re
import subprocess
import sys
import types
from importlib import abc, machinery

from sphinx import addnodes

import cavs

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
import cpp_reference

project, author, copyright = "cavs", "the authors of cavs", "the authors of cavs"
version = release = cavs.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.viewcode", "myst_parser"]
html_theme, html_title = "furo", f"cavs {release}"
myst_heading_anchors = 4
default_role = "code"
autodoc_member_order = "bysource"
autodoc_docstring_signature = True
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
html_copy_source = False
html_show_copyright = False
exclude_patterns = ["_static"]
html_static_path, html_css_files = ["_static"], ["wide.css"]

# The pages of each reader, in reading order. A page that is in no list comes last in its folder.
READERS = {
    "Start": ("start", ["install", "first-hour", "tutorial", "coming-from"]),
    "How to": ("guide", ["training", "training-options", "checkpoints", "predicting", "generating", "data", "tables", "models",
                         "networks", "edges", "python", "python-models", "python-data", "python-training", "torch",
                         "torch-module", "gallery", "torch-gpu", "gpu", "scaling", "looking-inside",
                         "policies"]),
    "Reference": ("reference", ["command-line", "commands", "bench", "messages", "data-formats", "json-lines", "generated-data",
                                "checkpoint-format", "python", "cpp", "versioning"]),
    "How it works": ("how", ["architecture", "compiler", "scheduling", "engine", "scripts", "devices", "cuda-batched",
                             "cuda-kernel", "cuda-torch", "papers", "law", "dependencies"]),
    "Measurements": ("measurements", ["README", "cpu", "cpu-steps", "learning", "python", "processes", "gpu"]),
}

PAGES = {
    "Declaring": ["Model", "Vertex", "Value", "IndexValue", "Parameter", "Lookup", "Initializer", "RowMap"],
    "Layers": ["Linear", "LstmCell", "GruCell", "TiedEmbedding", "lstm_step"],
    "Operators of your own": ["elementwise", "Operator", "Scalar"],
    "Data": ["load_data", "from_trees", "from_jsonl", "from_networkx", "from_pyg", "Dataset", "Graphs"],
    "Training": ["fit", "Trainer", "optimizer", "OptimizerOptions", "TrainStep", "PendingStep", "EpochReport", "Evaluation",
                 "Parameters"],
    "Predicting": ["load", "TrainedModel", "Prediction"],
    "Sessions": ["Session", "Run", "Gradients"],
    "A look inside": ["Program", "Function", "Schedule", "Drawing"],
    "Models that come with it": ["zoo", "zoo_data", "zoo_models", "ZooModel"],
    "Errors": ["Error", "InternalError"],
}


def public(module):
    return [name for name in dir(module) if not name.startswith("_") and not inspect.ismodule(getattr(module, name))]


def is_operator(name):
    signatures = getattr(getattr(cavs, name), "__nb_signature__", ())
    return any("Operand" in str(s[0]) or "Value" in str(s[0]) for s in signatures)


def constructor(thing):
    """How an object is made: autodoc does not find this in a class of nanobind."""
    first = (thing.__init__.__doc__ or "").partition("\n")[0]
    if not first.startswith("__init__(self"):
        return ""
    return re.sub(r"\(self(, )?", "(", first[len("__init__"):].removesuffix(" -> None")).replace("cavs._core.", "").replace(
        "collections.abc.", "")


def entries(name):
    thing = getattr(cavs, name)
    if inspect.isclass(thing):
        static = [member for member in public(thing) if type(inspect.getattr_static(thing, member)).__name__ == "nb_func"]
        text = f".. autoclass:: cavs.{name}{constructor(thing)}\n   :members:\n   :undoc-members:\n   :special-members: __call__, __getitem__\n"
        if not static:
            return text + "\n"
        text += f"   :exclude-members: {', '.join(static)}\n\n"  # autodoc takes them for attributes
        return text + "".join(f"   .. automethod:: cavs.{name}.{member}\n\n" for member in static)
    return f".. auto{'function' if callable(thing) else 'data'}:: cavs.{name}\n\n"


def page_name(title):
    return title.lower().replace(" ", "-")


def toctree(names, **options):
    lines = "".join(f":{name}: {value}\n" for name, value in options.items())
    return "\n```{toctree}\n" + lines + "\n" + "\n".join(names) + "\n```\n"


def write_python_reference(folder):
    listed = {name for names in PAGES.values() for name in names}
    left = [name for name in public(cavs) if name not in listed]
    operators = [name for name in left if is_operator(name)]
    pages = {**PAGES, "Operators": operators, "More": [name for name in left if name not in operators]}
    (folder / "python").mkdir()
    for title, names in pages.items():
        text = f"{title}\n{'=' * len(title)}\n\n" + "".join(entries(n) for n in names if hasattr(cavs, n))
        (folder / "python" / f"{page_name(title)}.rst").write_text(text)
    (folder / "python" / "pytorch.rst").write_text(
        "PyTorch\n=======\n\n.. automodule:: cavs.torch\n   :members:\n   :member-order: bysource\n")
    names = [f"python/{page_name(title)}" for title in [*pages, "PyTorch"]]
    (folder / "python.md").write_text(
        "# Python package\n\nThis reference is made from the docstrings of the package.\n" + toctree(names, maxdepth=1))


def write_commands(folder):
    """The `--help` of every command, as it is printed."""
    command = os.environ["CAVS_COMMAND"]

    def printed(*arguments):
        return subprocess.run([command, *arguments], capture_output=True, text=True, check=True).stdout

    names = re.findall(r"^  ([a-z-]+) ", printed("--help"), flags=re.MULTILINE)
    text = ("# All commands\n\nThis page is the `--help` of every command. [The command line](command-line.md) says how "
            "options work together.\n")
    for arguments in [[], *([name] for name in names if not name.startswith("-"))]:
        text += f"\n## {' '.join(['cavs', *arguments])}\n\n```text\n{printed(*arguments, '--help')}```\n"
    (folder / "commands.md").write_text(text)


def write_messages(folder):
    path = pathlib.Path(os.environ.get("CAVS_MESSAGES", ""))
    if path.is_file():
        text = re.sub(r"^# .*$", "# Messages", path.read_text(), count=1, flags=re.MULTILINE)
        (folder / "messages.md").write_text(text)


def first_sentence(path):
    """The question that a page answers: the first sentence of its first paragraph, without links."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", path.read_text().split("\n\n")[1].replace("\n", " "))
    text = re.sub(r"^This page (answers|describes|explains|has|lists|says|shows) ", "", text)
    return re.split(r"(?<=[\w`)][.:]) ", text)[0].rstrip(".:")


def write_index():
    readme = pathlib.Path(os.environ["CAVS_README"]).read_text()  # up to its picture
    index = re.match(r".*?^!\[[^\n]*\n", readme, flags=re.DOTALL | re.MULTILINE)[0].replace("](docs/", "](")
    for caption, (folder, first) in READERS.items():
        there = {page.stem for page in (FOLDER / folder).glob("*.md")}
        names = [name for name in first if name in there] + sorted(there - set(first))
        pages = [f"{folder}/{name}" for name in names]
        index += f"\n## {caption}\n" + toctree(pages, caption=caption, hidden="", maxdepth=1) + "\n"
        index += "".join(f"- []({page}.md): {first_sentence(FOLDER / f'{page}.md')}\n" for page in pages)
    (FOLDER / "index.md").write_text(index)


def bullets(lines):
    """Lines such as "children: numbers inside of the sample" are a list."""
    made = []
    listed = False
    for i, line in enumerate(lines):
        begins = re.match(r"((?:\w+, )*\w+)((?: \([^)]*\))?: .*)", line) if i > 0 else None
        if begins and not listed and made[-1]:
            made.append("")  # a list begins after an empty line
        listed = bool(begins) or (listed and line != "")
        made.append(f"- `{begins[1]}`{begins[2]}" if begins else f"  {line}" if listed else line)
    lines[:] = made


def docstring_of(app, what, name, thing, options, lines):
    """The text alone, without the signatures of overloads, which nanobind repeats there. Properties show their type."""
    signatures = getattr(getattr(thing, "fget", thing), "__nb_signature__", None)
    if isinstance(thing, property) and signatures:
        kind = signatures[0][0].rpartition(" -> ")[2].replace("cavs._core.", "").replace("numpy.", "")
        lines[:] = [f"`{kind}`: {signatures[0][1]}"]
    elif signatures:
        lines[:] = [line for s in signatures if s[1] for line in [*inspect.cleandoc(s[1]).splitlines(), ""]]
    bullets(lines)
    # |x| and U* are no markup; lines of code are indented.
    lines[:] = [line if line.startswith("    ") else re.sub(r"(`[^`]*`)|([|*])", lambda m: m[1] or "\\" + m[2], line)
                for line in lines]


def drop_self(app, tree):
    for parameters in tree.findall(addnodes.desc_parameterlist):
        if parameters.children and parameters[0].astext() == "self":
            del parameters[0]


def links(app, name, source):
    """Files that are no documents are named, not linked."""
    folder = pathlib.Path(app.env.doc2path(name)).parent
    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#:]+)[^)]*\)",
                       lambda m: m[0] if (folder / m[2]).is_file() else m[1], source[0])


class StandInName(type):
    """A name of PyTorch as a class: it has every attribute, can be a base or a decorator, and is shown by its own name."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandInName(name, (StandIn,), {"__module__": f"{cls.__module__}.{cls.__name__}".lstrip(".")})


class StandIn(metaclass=StandInName):
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, *arguments, **options):
        return arguments[0] if arguments and callable(arguments[0]) else self

    def __getattr__(self, name):
        return getattr(type(self), name)


class StandInForTorch(abc.MetaPathFinder, abc.Loader):
    """Modules in place of PyTorch (4 GB): the reference of cavs.torch needs no more than its names."""

    def find_spec(self, name, path, target=None):
        return machinery.ModuleSpec(name, self, is_package=True) if name.partition(".")[0] == "torch" else None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__version__ = "2.9.0"
        module.__getattr__ = functools.partial(StandInName.__getattr__, StandInName(spec.name, (StandIn,), {"__module__": ""}))
        return module

    def exec_module(self, module):
        pass


def write_style(folder):
    """Lines of code have up to 120 characters; cells of tables begin at the top, and break within code if they must."""
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "wide.css").write_text(
        "@media (min-width: 97em) { .content { width: 60em; } }\n"
        "table.docutils td, table.docutils th { vertical-align: top; text-align: left; }\n"
        "table.docutils td code { overflow-wrap: anywhere; white-space: normal; }\n")


sys.meta_path.insert(0, StandInForTorch())
write_python_reference(FOLDER / "reference")
cpp_reference.write_reference(pathlib.Path(os.environ["CAVS_HEADERS"]), FOLDER / "reference" / "cpp")
write_commands(FOLDER / "reference")
write_messages(FOLDER / "reference")
write_index()
write_style(FOLDER)


def setup(app):
    app.connect("autodoc-process-docstring", docstring_of)
    app.connect("doctree-read", drop_self)
    app.connect("source-read", links)
