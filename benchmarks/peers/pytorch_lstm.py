"""`cavs bench var-lstm` and `fixed-lstm` in PyTorch (1.13 to 2.15), for comparison: same text, chains, batches and SGD.

Counts the same as cavs: real tokens (the labels of a chain), in whole epochs after one to warm up. The embedding size
is the hidden size, its gradient is sparse, and the softmax runs only over real tokens. Example:
  pytorch_lstm.py var-lstm wiki.train.tokens.gz --hidden 256 --threads 1 --limit 512
Prints JSON: microseconds per token of training, for the whole step and for only the LSTM (forward and backward, with
given input and gradient of the output). With --mode infer, for the forward pass with the loss and for the LSTM's
forward pass, where PyTorch 2 calls oneDNN's fused LSTM. --compile adds the same model under torch.compile, but not the
LSTM alone. torch.nn.LSTM has a second bias; nothing else differs.
"""

import argparse
import collections
import gzip
import json
import sys
import time

try:
    import torch
except ImportError as error:
    sys.exit(f"pytorch_lstm: {error}; it needs PyTorch (Debian: python3-torch, run with /usr/bin/python3)")
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_sequence

UNKNOWN, END = 0, 1


def check_blas():
    """Checks the BLAS: Debian's PyTorch uses the installed libblas.so.3; the reference BLAS is ten times as slow."""
    torch.ones(8, 8) @ torch.ones(8, 8)
    with open("/proc/self/maps") as maps:
        if any("/blas/libblas.so.3" in line for line in maps):
            sys.exit("pytorch_lstm: PyTorch uses the reference BLAS; install libopenblas0-openmp for a fair comparison")


def read_lines(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return [words for words in map(bytes.split, file) if words]


def number_words(lines, size):
    """Word ids as in docs/reference/data-formats.md: most frequent first, equal counts in the order of bytes."""
    counts = collections.Counter(word for words in lines for word in words)
    del counts[b"<unk>"], counts[b"<eos>"]
    known = sorted(counts, key=lambda word: (-counts[word], word))[: size - 2]
    ids = {b"<unk>": UNKNOWN, b"<eos>": END, **{word: i + 2 for i, word in enumerate(known)}}
    return len(ids), [[ids.get(word, UNKNOWN) for word in words] + [END] for words in lines]


def make_chains(sentences, steps):
    """(input, label) of every chain: a sentence, or `steps` words of the whole text."""
    if steps:
        stream = [word for sentence in sentences for word in sentence]
        sentences = [stream[i : i + steps] for i in range(0, len(stream) - steps + 1, steps)]
    chains, before = [], END
    for words in sentences:
        chains.append((torch.tensor([before, *words[:-1]]), torch.tensor(words)))
        before = words[-1] if steps else END
    return chains


class Batch:
    """Chains of a minibatch, longest first, which is fastest in PyTorch."""

    def __init__(self, chains):
        chains = sorted(chains, key=lambda chain: -len(chain[0]))
        self.size, self.lengths = len(chains), torch.tensor([len(read) for read, _ in chains])
        self.read = pad_sequence([read for read, _ in chains])
        self.packed_read = pack_padded_sequence(self.read, self.lengths)
        self.real = torch.arange(len(self.read))[:, None] < self.lengths
        labels = pad_sequence([label for _, label in chains])
        self.labels = {"padded": labels[self.real], "packed": pack_padded_sequence(labels, self.lengths).data}


class LanguageModel(torch.nn.Module):
    def __init__(self, vocabulary, hidden, form):
        super().__init__()
        self.form = form
        self.embedding = torch.nn.Embedding(vocabulary, hidden, sparse=True)
        self.lstm = torch.nn.LSTM(hidden, hidden)
        self.output = torch.nn.Linear(hidden, vocabulary)

    def embed(self, batch):
        return self.embedding(batch.packed_read.data if self.form == "packed" else batch.read)

    def run_lstm(self, batch, x):
        if self.form == "padded":
            return self.lstm(x)[0]
        return self.lstm(PackedSequence(x, batch.packed_read.batch_sizes))[0].data

    def loss(self, batch):
        h = self.run_lstm(batch, self.embed(batch))
        if self.form == "padded":
            h = h[batch.real]
        logits = self.output(h)
        return torch.nn.functional.cross_entropy(logits, batch.labels[self.form], reduction="sum") / batch.size


def measure(step, batches, seconds):
    """Microseconds per token."""
    tokens = sum(int(batch.lengths.sum()) for batch in batches)
    for batch in batches:
        step(batch)
    start, epochs = time.perf_counter(), 0
    while epochs == 0 or time.perf_counter() - start < seconds:
        for batch in batches:
            step(batch)
        epochs += 1
    return (time.perf_counter() - start) * 1e6 / (tokens * epochs)


def measure_form(form, is_compiled, batches, vocabulary, options):
    torch.manual_seed(1)
    model = LanguageModel(vocabulary, options.hidden, form)
    loss_of = torch.compile(model.loss, dynamic=True) if is_compiled else model.loss
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def train(batch):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(batch)
        loss.backward()
        optimizer.step()
        return loss.item()

    def infer(batch):
        with torch.no_grad():
            return loss_of(batch).item()

    whole = infer if options.mode == "infer" else train
    loss = whole(batches[0])
    result = {"form": f"{form} compiled" if is_compiled else form, "loss": loss,
              "us_per_token": measure(whole, batches, options.seconds)}
    return result if is_compiled else {**result, "lstm_us_per_token": measure_lstm(model, batches, options)}


def measure_lstm(model, batches, options):
    """Measures only the LSTM."""
    inputs = {batch: model.embed(batch).detach().requires_grad_() for batch in batches}

    def infer(batch):
        with torch.no_grad():
            model.run_lstm(batch, inputs[batch])

    def train(batch):
        model.lstm.zero_grad(set_to_none=True)
        inputs[batch].grad = None  # else each step would add to it
        y = model.run_lstm(batch, inputs[batch])
        y.backward(y.detach())

    return measure(infer if options.mode == "infer" else train, batches, options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["var-lstm", "fixed-lstm"])
    parser.add_argument("text", help="one sentence per line, plain or gzip")
    parser.add_argument("--vocabulary", type=int, default=10_000)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--limit", type=int, help="number of chains (default: all)")
    parser.add_argument("--mode", choices=["train", "infer"], default="train")
    parser.add_argument("--compile", action="store_true", help="also measure the model under torch.compile (PyTorch 2)")
    parser.add_argument("--seconds", type=float, default=2, help="smallest time of a measurement")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    check_blas()
    vocabulary, sentences = number_words(read_lines(options.text), options.vocabulary)
    chains = make_chains(sentences, 64 if options.model == "fixed-lstm" else 0)[: options.limit]
    size = options.batch_size
    batches = [Batch(chains[i : i + size]) for i in range(0, len(chains), size)]
    forms = ["padded"] if options.model == "fixed-lstm" else ["padded", "packed"]  # fixed: nothing to pad
    results = [measure_form(form, is_compiled, batches, vocabulary, options)
               for form in forms for is_compiled in ([False, True] if options.compile else [False])]
    tokens = sum(len(read) for read, _ in chains)
    print(json.dumps({**vars(options), "torch": torch.__version__, "tokens": tokens, "results": results}))


if __name__ == "__main__":
    main()
