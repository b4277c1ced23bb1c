"""Dynamic neural networks from declared vertex functions: declare, train and predict."""

from . import distributed as distributed
from ._convert import from_networkx as from_networkx
from ._convert import from_objects as from_objects
from ._convert import from_pyg as from_pyg
from ._core import *  # noqa: F403
from ._core import version as __version__
from ._fit import fit as fit
from ._texts import from_jsonl as from_jsonl
from ._texts import from_trees as from_trees
