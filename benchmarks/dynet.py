"""The peer in DyNet (peers/dynet): the samples that it reads, its speed, and whether it computes what cavs computes."""

import pathlib
import tempfile

from running import run, run_json

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "build" / "release" / "bin"
STRATEGIES = (1, 2)  # of --dynet-autobatch: by depth, by agenda


def add_programs(parser):
    """The options that say where the programs are."""
    parser.add_argument("--cavs", default=PROGRAMS / "cavs")
    parser.add_argument("--peer", default=PROGRAMS / "dynet_models", help="made of peers/dynet")
    parser.add_argument("--dump", default=PROGRAMS / "dump_samples", help="made of dump_samples.cc")


def largest_difference(found, expected):
    """As a part of what is expected."""
    if len(found) != len(expected):
        raise ValueError(f"{len(found)} numbers found, {len(expected)} expected")
    return max(abs(f - e) / abs(e) for f, e in zip(found, expected))


class Peer:
    """Keeps the samples that were written for it in a folder of its own."""

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
        """The result of the better strategy, and of each its samples a second."""
        command = [self.program, model, self.samples(model, data, limit), hidden, batch_size, mode, seconds]
        results = {strategy: run_json([*command, "--dynet-autobatch", strategy]) for strategy in STRATEGIES}
        best = max(STRATEGIES, key=lambda strategy: results[strategy]["samples_per_second"])
        speeds = {str(strategy): result["samples_per_second"] for strategy, result in results.items()}
        return {**results[best], "strategy": best, "by_strategy": speeds}

    def check(self, model, data, samples=8, hidden=16, steps=4):
        """How far the losses of some steps of training are from those of cavs, from the same parameters."""
        path = self.samples(model, data, samples, hidden, steps)
        differences = []
        for strategy in STRATEGIES:
            result = run_json([self.program, model, path, hidden, "check", "--dynet-autobatch", strategy])
            differences.append(largest_difference(result["losses"], result["expected"]))
        return max(differences)
