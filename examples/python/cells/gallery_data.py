"""Python objects that the programs of this folder learn from. Replace them with your own."""

from __future__ import annotations

import ast
import itertools
import pathlib
import random
import re
import sysconfig
from dataclasses import dataclass, field

CARBON, NITROGEN, OXYGEN, FLUORINE = range(4)  # an atom of kind k has 4 - k valences


@dataclass
class Atom:
    """An atom of a molecule without rings, and the atoms below it. Hydrogens are omitted."""

    kind: int
    below: list[Atom] = field(default_factory=list)
    bonds: list[int] = field(default_factory=list)  # to the atoms below: 1 single, 2 double, 3 triple

    def carbonyls(self) -> int:
        """Number of double bonds between a carbon and an oxygen, from this atom on."""
        here = sum(bond == 2 and {self.kind, atom.kind} == {CARBON, OXYGEN} for bond, atom in zip(self.bonds, self.below))
        return here + sum(atom.carbonyls() for atom in self.below)


def random_molecule(kind: int = CARBON, free: int = 4, depth: int = 8) -> Atom:
    atom = Atom(kind)
    while free and depth and random.random() < 0.8:
        below = random.choice((CARBON, CARBON, CARBON, CARBON, NITROGEN, OXYGEN, OXYGEN, FLUORINE))
        bond = random.randint(1, min(3, free, 4 - below))
        atom.below.append(random_molecule(below, 4 - below - bond, depth - 1))
        atom.bonds.append(bond)
        free -= bond
    return atom


@dataclass(eq=False)  # a gate is equal only to itself
class Gate:
    """A gate of a Boolean circuit: "false" and "true" without inputs, "and", "or" and "xor" of two gates."""

    kind: int  # 0 to 4, in this order
    value: int
    inputs: list[Gate] = field(default_factory=list)


def random_circuit(gates: int) -> Gate:
    """The last gate of a random circuit. The inputs of a gate are among the six gates before it."""
    made = [Gate(0, 0), Gate(1, 1)]
    while len(made) < gates:
        kind, (a, b) = random.randint(2, 4), random.sample(made[-6:], 2)
        made.append(Gate(kind, (a.value & b.value, a.value | b.value, a.value ^ b.value)[kind - 2], [a, b]))
    return made[-1]


@dataclass
class Dial:
    """A dial that starts at its digit, or at the largest value of the dials below, and is turned to its value."""

    digit: int
    turns: int
    below: list[Dial]
    value: int


def random_dial(depth: int = 4) -> Dial:
    below = [random_dial(depth - 1) for _ in range(random.randint(0, 3) if depth else 0)]
    digit, turns = random.randrange(10), random.randint(0, 5)
    value = max([digit, *(dial.value for dial in below)])
    for _ in range(turns):
        value = (7 * value + 3) % 10
    return Dial(digit, turns, below, value)


VERBS = ["get", "set", "is", "add", "close", "read", "parse", "create", "find", "load", "write", "check"]
NAMES = ("id", "attr", "arg")  # members of nodes


def named_functions(most: int) -> tuple[list[int], list[ast.FunctionDef]]:
    """Functions of Python's standard library in the order of files, and the number of the verb of each name.

    The name is hidden wherever it occurs in the function. Tests (nine in ten functions), codec tables and packages
    outside of the library are excluded.
    """
    folder = pathlib.Path(sysconfig.get_paths()["stdlib"])
    files = sorted(file.relative_to(folder) for file in folder.rglob("*.py"))
    files = [file for file in files if not re.search("test|encodings|-packages", str(file))]
    random.shuffle(files)
    verbs: list[int] = []
    functions: list[ast.FunctionDef] = []
    for file in files:
        for node in ast.walk(ast.parse((folder / file).read_bytes())):
            if isinstance(node, ast.FunctionDef) and len(list(ast.walk(node))) <= 150:
                verb = re.sub("^_?([a-z]*).*", r"\1", node.name)
                if verb in VERBS:
                    verbs.append(VERBS.index(verb))
                    functions.append(node)
        if len(functions) >= most:
            break
    for function in functions:
        for node, key in itertools.product(ast.walk(function), NAMES):
            if getattr(node, key, None) == function.name:
                setattr(node, key, "")
    return verbs, functions


def nodes_below(node: ast.AST) -> list[ast.AST]:
    """The children of a node, without the Load and Store marks of names, which are objects shared by all nodes."""
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)]


def words_of(node: ast.AST) -> tuple[str, str]:
    """The kind of a node, and the name of its variable, attribute or argument, or "." without a name."""
    return type(node).__name__, next((name for key in NAMES if (name := getattr(node, key, None))), ".")
