"""Parts of several models."""

import dataclasses

import cavs

ZEROS = cavs.Initializer.zeros()


@dataclasses.dataclass
class Config:
    """Sizes of a model."""

    vocabulary: int = 1000  # rows of the embedding table
    embedding: int = 64     # numbers per word
    hidden: int = 64        # numbers per state
    classes: int = 5
    dropout: float = 0      # before the output layer
    seed: int = 1


def embedding(m, config):
    return m.lookup("embedding", (config.vocabulary, config.embedding))


def class_scores(m, config, y):
    """The output layer: scores of the classes from y, [hidden]."""
    return cavs.Linear(m, "output", config.hidden, config.classes)(cavs.dropout(y, config.dropout))


def predict_class(m, v, config, y):
    """Pushes the scores, and adds the loss if the vertex has a label."""
    logits = class_scores(m, config, y)
    v.push(logits=logits)
    v.loss(cavs.softmax_cross_entropy(logits, v.pull_index("label")))
