"""Runs the DyNet program (peers/dynet): writes its samples, measures its speed, and compares its losses with cavs."""

import pathlib
import tempfile

from running import run, run_json

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "build" / "release" / "bin"
STRATEGIES = (1, 2)  # values of --dynet-autobatch: by depth, by agenda


def add_programs(parser):
    """Adds the options with the paths of the programs."""
    parser.add_argument("--cavs", default=PROGRAMS / "cavs")
    parser.add_argument("--peer", default=PROGRAMS / "dynet_models", help="the program of peers/dynet")
    parser.add_argument("--dump", default=PROGRAMS / "dump_samples", help="the program of dump_samples.cc")


def largest_difference(found, expected):
    """The largest difference, relative to the expected number."""
    if len(found) != len(expected):
        raise ValueError(f"{len(found)} numbers found, {len(expected)} expected")
    return max(abs(f - e) / abs(e) for f, e in zip(found, expected))


class Peer:
    """The DyNet program, with a folder for the samples that it reads."""

    def __init__(self, options):
        self.program, self.dump = options.peer, options.dump
        self.folder = tempfile.TemporaryDirectory(prefix="cavs-dynet-")
        self.files = {}

    def samples(self, model, data, limit, *training):
        """The file with the first `limit` samples; `training`: hidden size and steps, for check()."""
        key = (model, data, limit, *training)
        if key not in self.files:
            path = pathlib.Path(self.folder.name) / f"{len(self.files)}.txt"
            path.write_text(run([self.dump, *key]))
            self.files[key] = path
        return self.files[key]

    def measure(self, model, data, limit, hidden, batch_size, mode, seconds):
        """The result of the better strategy, and the samples per second of each."""
        command = [self.program, model, self.samples(model, data, limit), hidden, batch_size, mode, seconds]
        results = {strategy: run_json([*command, "--dynet-autobatch", strategy]) for strategy in STRATEGIES}
        best = max(STRATEGIES, key=lambda strategy: results[strategy]["samples_per_second"])
        speeds = {str(strategy): result["samples_per_second"] for strategy, result in results.items()}
        return {**results[best], "strategy": best, "by_strategy": speeds}

    def check(self, model, data, samples=8, hidden=16, steps=4):
        """The largest relative difference between losses of DyNet and cavs in a short training, from equal parameters."""
        path = self.samples(model, data, samples, hidden, steps)
        differences = []
        for strategy in STRATEGIES:
            result = run_json([self.program, model, path, hidden, "check", "--dynet-autobatch", strategy])
            differences.append(largest_difference(result["losses"], result["expected"]))
        return max(differences)
