"""Sphinx: the documents of docs/ and a reference of the package, from its docstrings. Run by scripts/python.sh docs.

A module of nanobind says of each function how it is called (`__nb_signature__`), overloads included; autodoc reads the
same from docstrings, which this makes from it. Everything public is in the reference: what is in no list below is in
the last one.
"""

import inspect
import pathlib
import re
import sys
import types

from sphinx import addnodes

import cavs

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
html_static_path, html_css_files = ["_static"], ["wide.css"]

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
    return f"reference-{title.lower().replace(' ', '-')}"


def write_reference(folder):
    listed = {name for names in PAGES.values() for name in names}
    left = [name for name in public(cavs) if name not in listed]
    operators = [name for name in left if is_operator(name)]
    pages = {**PAGES, "Operators": operators, "More": [name for name in left if name not in operators]}
    for title, names in pages.items():
        text = f"{title}\n{'=' * len(title)}\n\n" + "".join(entries(n) for n in names if hasattr(cavs, n))
        (folder / f"{page_name(title)}.rst").write_text(text)
    (folder / "reference-pytorch.rst").write_text(
        "PyTorch\n=======\n\n.. automodule:: cavs.torch\n   :members:\n   :member-order: bysource\n")
    tree = "\n".join(page_name(title) for title in [*pages, "PyTorch"])
    index = "# cavs\n\n```{include} guide/python.md\n:start-line: 2\n:end-before: '## A model'\n```\n"
    index += f"\n```{{toctree}}\n:caption: Reference\n:hidden:\n\n{tree}\n```\n"
    documents = sorted(str(page.relative_to(folder).with_suffix("")) for page in folder.glob("**/*.md") if page.stem != "index")
    index += "\n```{toctree}\n:caption: Documents\n:hidden:\n\n" + "\n".join(documents) + "\n```\n"
    (folder / "index.md").write_text(index)


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
    """Of overloads nanobind lists signatures in the text again; here is the text alone. Properties say their type."""
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


def stand_in_for_torch():
    """The names of PyTorch (4 GB) that cavs.torch takes when it is imported: its reference needs no more."""
    classes = {"torch": ["Tensor"], "torch.nn": ["Module", "Parameter"], "torch.autograd": ["Function"],
               "torch.library": ["custom_op"]}
    for path, names in classes.items():
        module = sys.modules[path] = types.ModuleType(path)
        for name in names:
            setattr(module, name, type(name, (), {"__module__": path}))
        if path != "torch":
            setattr(sys.modules["torch"], path.partition(".")[2], module)


def write_style(folder):
    """Lines of code have up to 120 characters."""
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "wide.css").write_text(".content { width: 56em; }\n")


stand_in_for_torch()
write_reference(pathlib.Path(__file__).resolve().parent)
write_style(pathlib.Path(__file__).resolve().parent)


def setup(app):
    app.connect("autodoc-process-docstring", docstring_of)
    app.connect("doctree-read", drop_self)
    app.connect("source-read", links)
