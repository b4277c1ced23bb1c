#!/usr/bin/env python3
"""Compares cavs with PyTorch and DGL, called from Python in one process, in turn: a child-sum Tree-LSTM and an LSTM.

First the others get the parameters of cavs, and a few training steps (Adagrad) must give the same losses. Then each
round measures every library once, forward and training. The best round counts; `spread` is the worst divided by the
best. Making minibatches (ids, levels, DGL's graphs, padding) is not timed for the others; for cavs, everything is
timed.

Example (needs a Python with cavs and PyTorch 2; DGL is skipped if it is not installed):
  python_peers.py trees path/to/sst --threads 1,2
  python_peers.py sentences path/to/wikigold --threads 1,2
"""

import argparse
import pathlib
import sys
import time

import cavs
import numpy as np
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
import batched  # noqa: E402
import chains  # noqa: E402
import child_sum  # noqa: E402

LR = 0.05


class Cavs:
    """Steps of a cavs.Trainer, which makes its minibatches itself and goes through all graphs in order."""

    def __init__(self, options, model, data, threads):
        self.data, self.threads, self.batch_size = data, threads, options.batch_size
        self.trainer = cavs.Trainer(model, data, optimizer=cavs.optimizer("adagrad", lr=LR), shuffle=False,
                                    batch_size=options.batch_size, threads=threads)
        self.trained = self.trainer.trained()

    def train(self):
        return [self.trainer.step().loss for _ in range(self.trainer.steps_per_epoch)]

    def forward(self):
        return self.trained.predict(self.data, batch_size=self.batch_size, threads=self.threads)["logits"]


class Torch:
    def __init__(self, model, batches, threads):
        self.model, self.batches, self.threads = model, batches, threads
        self.optimizer = torch.optim.Adagrad([p for p in model.parameters() if p.requires_grad], lr=LR)
        for batch in batches:
            if hasattr(model, "prepare"):
                model.prepare(batch)

    def train(self):
        torch.set_num_threads(self.threads)
        losses = []
        for batch in self.batches:
            self.optimizer.zero_grad()
            loss = self.model.loss(batch) / batch.samples
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return losses

    def forward(self):
        torch.set_num_threads(self.threads)
        with torch.no_grad():
            return torch.cat([self.model(batch) for batch in self.batches]).numpy()


def tree_model(data, h):
    m, zeros = cavs.Model(seed=1), cavs.Initializer.zeros()
    E = m.lookup("embedding", (data.rows("word"), h))
    W, U, b = m.parameter("W", (h, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h, zeros)
    Wf, Uf, bf = m.parameter("Wf", (h, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h, zeros)
    Wy, by = m.parameter("output_W", (h, data.classes)), m.parameter("output_b", data.classes, zeros)

    @m.vertex_function
    def tree_lstm(v):
        x, hs, cs = E(v.pull_index("word")), v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        y = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=y)
        v.push(logits=y @ Wy + by)
        v.loss(cavs.softmax_cross_entropy(v.pushed("logits"), v.pull_index("label")))

    return m


def sentence_model(data, h):
    m, zeros = cavs.Model(seed=1), cavs.Initializer.zeros()
    E = m.lookup("embedding", (data.rows("word"), h))
    W, U, b = m.parameter("W", (h, 4 * h)), m.parameter("U", (h, 4 * h)), m.parameter("b", 4 * h, zeros)
    Wy, by = m.parameter("output_W", (h, data.classes)), m.parameter("output_b", data.classes, zeros)

    @m.vertex_function
    def token(v):
        i, f, u, o = (E(v.pull_index("word")) @ W + v.gather(0, "h") @ U + b).split(4)
        c = cavs.sigmoid(f) * v.gather(0, "c") + cavs.sigmoid(i) * cavs.tanh(u)
        y = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=y)
        v.push(logits=y @ Wy + by)
        v.loss(cavs.softmax_cross_entropy(v.pushed("logits"), v.pull_index("label")))

    return m


def parts(graphs, batch_size):
    """For each minibatch: first vertex, sizes of samples, words, labels, and children of each vertex."""
    begin, offsets, children = graphs.sample_begin, graphs.child_offsets, graphs.children
    words, labels = graphs["word"], graphs["label"]
    for s in range(0, len(graphs), batch_size):
        ends = begin[s : s + batch_size + 1]
        first, last = ends[0], ends[-1]
        below = []
        for sample_first, sample_last in zip(ends[:-1], ends[1:]):
            below += [[int(sample_first - first + c) for c in children[offsets[v] : offsets[v + 1]] if c >= 0]
                      for v in range(sample_first, sample_last)]
        yield ends - first, words[first:last].astype(np.int64), labels[first:last].astype(np.int64), below


def tree_batches(graphs, batch_size):
    batches = []
    for ends, words, labels, below in parts(graphs, batch_size):
        batch = child_sum.Trees(words, labels, below)
        batch.samples, batch.vertices = len(ends) - 1, len(words)
        batches.append(batch)
    return batches


def sentence_batches(graphs, batch_size):
    cut = lambda x, ends: [torch.from_numpy(x[a:b]) for a, b in zip(ends[:-1], ends[1:])]  # noqa: E731
    return [chains.Sentences(cut(words, ends), cut(labels, ends))
            for ends, words, labels, _ in parts(graphs, batch_size)]


def check_losses(name, ours, theirs):
    """Checks that the losses of the first steps, from the same parameters, differ only by rounding."""
    if not np.allclose(ours, theirs, rtol=2e-5):
        sys.exit(f"python_peers: losses of cavs {ours} and of {name} {theirs} differ")
    print(f"same losses as {name}: {', '.join(f'{x:.4f}' for x in theirs)}")


def rate(what, samples, clock):
    """Samples per second."""
    begin = clock()
    what()
    return samples / (clock() - begin)


def parse(words=None):
    """The options, of the command line if `words` is None."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["trees", "sentences"])
    parser.add_argument("folder", help="with train.txt and dev.txt for trees, train.conll and dev.conll for sentences")
    parser.add_argument("--limit", type=int, default=500, help="samples")
    parser.add_argument("--recursive-limit", type=int, default=50, help="samples for the recursive PyTorch module")
    parser.add_argument("--batch-size", type=int, default=25)
    parser.add_argument("--hidden", type=int, default=150)
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")], default=[1])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processor-time", action="store_true",
                        help="measure CPU time: for one thread on a busy machine")
    options = parser.parse_args(words)
    if options.processor_time and options.threads != [1]:
        parser.error(f"--processor-time needs --threads 1, found --threads {options.threads}")
    return options


def measure(options):
    """Yields for each number of threads: the number, and (program, "forward" or "train") -> its rates, one per round."""
    clock = time.process_time if options.processor_time else time.perf_counter
    trees = options.what == "trees"
    spec = (f"sst:{options.folder}" if trees else
            f"conll:train={options.folder}/train.conll,dev={options.folder}/dev.conll")
    data = cavs.load_data(spec, limit=options.limit)
    model = (tree_model if trees else sentence_model)(data, options.hidden)
    batches = (tree_batches if trees else sentence_batches)(data.train, options.batch_size)
    few = batches[: max(1, options.recursive_limit // options.batch_size)]
    parts_of_graphs = batched.parts_of(data.train, options.batch_size)
    classes = {"cavs.torch.batched(nn.LSTMCell)": (batched.Sentences, parts_of_graphs),
               "PyTorch, packed nn.LSTM": (chains.Packed, batches), "PyTorch, padded nn.LSTM": (chains.Padded, batches)}
    if trees:
        classes = {"cavs.torch.batched": (batched.Trees, parts_of_graphs),
                   "cavs.torch.batched, embedding inside": (batched.TreesOfWords, parts_of_graphs),
                   "cavs.torch.Module": (batched.DeclaredTrees, parts_of_graphs),
                   "PyTorch, batched by hand": (child_sum.Levels, batches), "PyTorch, recursive": (child_sum.Recursive, few)}
        if child_sum.dgl is not None:
            classes["DGL"] = (child_sum.MessagePassing, batches)
    names = (child_sum if trees else chains).NAMES
    first = cavs.Trainer(model, data.train)
    start = {name: torch.from_numpy(first.parameters[name]) for name in names}

    count = (lambda part: sum(b.samples for b in part)) if trees else (lambda part: sum(b.vertices for b in part))
    print(f"{data.train}; minibatches of {options.batch_size}, d = h = {options.hidden}")
    for threads in options.threads:
        peers = {"cavs": (Cavs(options, model, data.train, threads), batches)}
        for name, (make, part) in classes.items():
            peers[name] = Torch(make(start), part, threads), part
        ours = peers["cavs"][0].train()
        for name, (peer, part) in peers.items():
            if name != "cavs":
                check_losses(name, ours[: min(3, len(part))], peer.train()[:3])
        rates = {(name, kind): [] for name in peers for kind in ("forward", "train")}
        for _ in range(options.rounds):
            for name, (peer, part) in peers.items():
                for kind in ("forward", "train"):
                    rates[name, kind].append(rate(getattr(peer, kind), count(part), clock))
        yield threads, rates


def main():
    options = parse()
    unit = "trees" if options.what == "trees" else "words"
    for threads, rates in measure(options):
        print(f"\n| {threads} thread{'s' * (threads > 1)} | forward, {unit}/s | spread | training, {unit}/s | spread | cavs is "
              "faster by: forward, training |\n| --- | --- | --- | --- | --- | --- |")
        best = {key: max(values) for key, values in rates.items()}
        for name in dict.fromkeys(name for name, _ in rates):
            spread = [min(rates[name, kind]) / best[name, kind] for kind in ("forward", "train")]
            ratio = [best["cavs", kind] / best[name, kind] for kind in ("forward", "train")]
            print(f"| {name} | {best[name, 'forward']:.0f} | {spread[0]:.2f} | {best[name, 'train']:.0f} | {spread[1]:.2f} "
                  f"| {'' if name == 'cavs' else f'{ratio[0]:.1f}, {ratio[1]:.1f}'} |", flush=True)


if __name__ == "__main__":
    main()
