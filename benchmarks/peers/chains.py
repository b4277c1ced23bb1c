"""An LSTM over sentences that classifies each word, in PyTorch: torch.nn.LSTM, packed and padded, for python_peers.py.

Parameters are [in, out] as in cavs, and are transposed here. PyTorch's second bias is always zero.
"""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_sequence

NAMES = ["embedding", "W", "U", "b", "output_W", "output_b"]


class Sentences:
    """Sentences of one minibatch: lists of words and of labels, with one tensor per sentence."""

    def __init__(self, words, labels):
        self.samples, self.vertices = len(words), sum(map(len, words))
        self.words = pack_sequence(words, enforce_sorted=False)  # longest first; the order is kept for unpacking
        self.labels = pack_sequence(labels, enforce_sorted=False).data
        rows = [torch.arange(len(x)) + sum(map(len, words[:i])) for i, x in enumerate(words)]
        self.order = torch.argsort(pack_sequence(rows, enforce_sorted=False).data)
        self.padded_words, self.padded_labels = pad_sequence(words), pad_sequence(labels, padding_value=-1)
        self.real = pad_sequence([torch.ones(len(x), dtype=torch.bool) for x in words]).T


class Packed(nn.Module):
    def __init__(self, parameters):
        super().__init__()
        self.embedding = nn.Parameter(parameters["embedding"].clone())
        self.lstm = nn.LSTM(len(parameters["W"]), len(parameters["U"]))
        self.output_W = nn.Parameter(parameters["output_W"].clone())
        self.output_b = nn.Parameter(parameters["output_b"].clone())
        with torch.no_grad():
            self.lstm.weight_ih_l0.copy_(parameters["W"].T)
            self.lstm.weight_hh_l0.copy_(parameters["U"].T)
            self.lstm.bias_ih_l0.copy_(parameters["b"])
            self.lstm.bias_hh_l0.zero_()
        self.lstm.bias_hh_l0.requires_grad_(False)

    def packed_logits(self, batch):
        x = nn.functional.embedding(batch.words.data, self.embedding, sparse=True)
        states, _ = self.lstm(batch.words._replace(data=x))
        return states.data @ self.output_W + self.output_b

    def forward(self, batch):
        """The logits of all words, sentence by sentence."""
        return self.packed_logits(batch)[batch.order]

    def loss(self, batch):
        return nn.functional.cross_entropy(self.packed_logits(batch), batch.labels, ignore_index=-1, reduction="sum")


class Padded(Packed):
    """Runs as many steps as the longest sentence has. Results after the end of a sentence are computed and ignored."""

    def padded_logits(self, batch):
        x = nn.functional.embedding(batch.padded_words, self.embedding, sparse=True)
        return self.lstm(x)[0] @ self.output_W + self.output_b

    def forward(self, batch):
        return self.padded_logits(batch).transpose(0, 1)[batch.real]

    def loss(self, batch):
        logits = self.padded_logits(batch).flatten(0, 1)
        return nn.functional.cross_entropy(logits, batch.padded_labels.flatten(), ignore_index=-1, reduction="sum")
