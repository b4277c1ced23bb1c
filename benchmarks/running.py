"""Shared by the comparisons: runs a program that prints numbers, and `cavs bench`."""

import json
import subprocess
import sys


def run(command):
    """The output of a command. Ends the comparison if the command fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def run_json(command):
    return json.loads(run(command))


def bench(cavs, model, data, hidden, threads, batch_size, *more):
    """The result of `cavs bench` with an embedding of the hidden size."""
    command = [cavs, "bench", model, "--data", data, "--hidden", hidden, "--embedding", hidden, "--threads", threads]
    return run_json([*command, "--batch-size", batch_size, *more, "--json"])
