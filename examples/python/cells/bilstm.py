"""A BiLSTM tagger for sentences of different lengths, without padding: nn.LSTMCell over chains.

The recursion is a loop over tokens. nn.LSTM of packed sequences, with the same weights, is measured for comparison.
The data are generated, or conll:train=FILE,dev=FILE. Huang, Xu and Yu, Bidirectional LSTM-CRF Models for Sequence Tagging, 2015.
Run: python examples/python/cells/bilstm.py [DATA [SAMPLES [EPOCHS]]]
"""

import sys
import timeit

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_sequence, unpack_sequence

import cavs
from cavs.torch import Batch, Child, batched

WAYS = ("recursion", "packed", "batched")


def before(cell: nn.LSTMCell, sentence: Tensor) -> Tensor:
    """Computes the states of a sentence, one token at a time."""
    h, c, states = torch.zeros(cell.hidden_size), torch.zeros(cell.hidden_size), []
    for x in sentence:
        h, c = cell(x, (h, c))
        states.append(h)
    return torch.stack(states)


def from_the_right(graphs: cavs.Graphs) -> cavs.Graphs:
    """The same sentences in reverse: the child of each token is the next token."""
    later = np.delete(np.arange(graphs.vertices), graphs.sample_begin[:-1])  # all tokens but the first of each sentence
    return cavs.Graphs.from_edges(np.diff(graphs.sample_begin), child=later, parent=later - 1)


def main(spec: str, samples: int = 1000, epochs: int = 6, h: int = 64) -> None:
    torch.manual_seed(1)
    torch.set_num_threads(1)
    data = cavs.load_data(spec, limit=samples)
    embedding, top = nn.Embedding(data.rows("word"), h), nn.Linear(2 * h, data.classes)
    left, right = nn.LSTMCell(h, h), nn.LSTMCell(h, h)
    hx = (Child(0, "h"), Child(0, "c"))
    after = [batched(cell, {"h": h, "c": h}, input=h, hx=hx) for cell in (left, right)]
    packed = nn.LSTM(h, h, bidirectional=True)
    weights = {f"{name}_l0": x for name, x in left.state_dict().items()}
    packed.load_state_dict(weights | {f"{name}_l0_reverse": x for name, x in right.state_dict().items()})
    optimizer = torch.optim.Adam(nn.ModuleList([embedding, top, packed, left, right]).parameters(), lr=0.005)

    def states(graphs: cavs.Graphs, way: str = "batched") -> Tensor:
        x = embedding(torch.from_numpy(graphs["word"]))
        if way == "batched":
            return torch.cat([net(over, input=x)["h"] for net, over in zip(after, (graphs, from_the_right(graphs)))], 1)
        sentences = x.split(np.diff(graphs.sample_begin).tolist())
        if way == "packed":
            return torch.cat(unpack_sequence(packed(pack_sequence(sentences, enforce_sorted=False))[0]))
        return torch.cat([torch.cat([before(left, s), before(right, s.flip(0)).flip(0)], 1) for s in sentences])

    def train(graphs: cavs.Graphs, way: str = "batched") -> float:
        loss = nn.functional.cross_entropy(top(states(graphs, way)), torch.from_numpy(graphs["label"]).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    few = data.train[:25]
    for way in WAYS[:2]:
        torch.testing.assert_close(states(few), states(few, way))
    for epoch in range(epochs):
        losses = [train(data.train[s.tolist()]) for s in torch.randperm(len(data.train)).split(25)]
        print(f"epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}")
    labels = data.dev["label"]
    found = top(states(data.dev)).argmax(1).numpy() == labels
    print(f"accuracy: {found.mean():.1%} of the tokens of new sentences, {found[labels > 0].mean():.1%} of those in entities")
    slow, lstm, fast = (len(few) / min(timeit.repeat(lambda: train(few, way), number=1, repeat=5)) for way in WAYS)
    print(f"training: {slow:.0f} sentences/s before, {lstm:.0f} packed, {fast:.0f} after: {fast / slow:.1f} times")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tags", *map(int, sys.argv[2:]))
