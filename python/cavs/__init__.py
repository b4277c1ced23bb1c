"""Dynamic neural networks from one declared vertex function: declare, train and predict."""

from ._core import *  # noqa: F403
from ._core import version as __version__
from ._fit import fit as fit
