"""Runs the command and checks its results."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import tempfile
import termios
import unittest

COMMAND = os.environ["CAVS_COMMAND"]

# Small enough for a sanitizer, large enough for several minibatches and epochs.
DATA = "listops:train=60,test=20,length=20"
SIZES = ["--hidden", "8", "--embedding", "4", "--batch-size", "16"]
TRAIN = ["train", "tree-lstm", "--data", DATA, *SIZES]


def cavs(*arguments, stdin="", check=0, variables=None):
    """Runs `cavs` with these arguments and environment variables. If `check` is None, any exit code is accepted."""
    result = subprocess.run([COMMAND, *arguments], input=stdin, capture_output=True, text=True, timeout=300,
                            env={**os.environ, **(variables or {})})
    if check is not None and result.returncode != check:
        raise AssertionError(f"cavs {' '.join(arguments)}: exit code {result.returncode}, expected {check}\n"
                             f"{result.stdout}{result.stderr}")
    return result


def on_terminal(*arguments, columns=80, variables=None, with_output=False):
    """Runs `cavs` with standard error, and standard output if `with_output` is true, on a terminal.

    Returns the text on the terminal, and standard output if it is not on the terminal.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([COMMAND, *arguments], stdin=subprocess.DEVNULL, stderr=theirs,
                               stdout=theirs if with_output else subprocess.PIPE,
                               env={**os.environ, "TERM": "xterm-256color", **(variables or {})})
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    output, _ = process.communicate(timeout=120)
    if process.returncode != 0:
        raise AssertionError(f"cavs {' '.join(arguments)}: exit code {process.returncode}\n{shown.decode()}")
    return shown.decode(), (output or b"").decode()


def commands():
    """Returns the names of all commands."""
    return cavs("completion", "cavs ").stdout.split()


def one_object(text):
    """Returns the JSON object of a text that must be one line."""
    lines = text.splitlines()
    if len(lines) != 1:
        raise AssertionError(f"expected one line, found {len(lines)}:\n{text}")
    return json.loads(lines[0])


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def header_of(path):
    """Returns header and data of a checkpoint."""
    data = read_bytes(path)
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8:8 + length]), data[8 + length:]


def metadata(path):
    return header_of(path)[0]["__metadata__"]


def kept(path, name):
    """Returns an entry that the command stores in a checkpoint in addition to the training state, such as `tags`."""
    return json.loads(json.loads(metadata(path)["extra"])[name])


def tensor(path, name):
    """Returns the numbers of a metric or parameter."""
    header, data = header_of(path)
    begin, end = header[name]["data_offsets"]
    size, letter = {"F64": (8, "d"), "F32": (4, "f")}[header[name]["dtype"]]
    return list(struct.unpack(f"<{(end - begin) // size}{letter}", data[begin:end]))


class TestCase(unittest.TestCase):
    """Gives each test a folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file with this text, and returns its path."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)
