"""A user's program with all its types, for `mypy --strict`. It is not run."""

import numpy as np

import cavs


def declare(words: int, classes: int) -> cavs.Model:
    m = cavs.Model(seed=1)
    E = m.lookup("E", (words, 8))
    W, b = m.parameter("W", (8, classes)), m.parameter("b", classes, cavs.Initializer.zeros())

    @m.vertex_function
    def cell(v: cavs.Vertex) -> None:
        h = cavs.tanh(E(v.pull_index("word")) + v.children("h").sum() * 0.5)
        first, second = h.split(2)
        v.scatter(h=cavs.concat(first, second))
        logits = h @ W + b
        v.push(logits=logits)
        v.loss(cavs.softmax_cross_entropy(logits, v.pull_index("label")) + cavs.dot(h[0:4], h[4:8]) * 1e-4)

    return m


def main() -> None:
    data = cavs.load_data("random-trees", limit=10)
    model = declare(data.rows("word"), data.classes)
    trainer = cavs.Trainer(model, data, optimizer=cavs.optimizer("adam", lr=0.1), threads=2)
    loss: float = trainer.step().loss
    trained: cavs.TrainedModel = cavs.fit(model, data.train, dev=data.dev, epochs=2, lr=loss)
    logits = trained.predict(data.dev)["logits"]
    names: list[str] = list(trained.parameters)
    trained.parameters[names[0]] = np.zeros((3, 8))
    graphs = cavs.Graphs.from_arrays(np.array([0, 1]), np.array([0, 0]), np.array([], int), ports={"x": logits})
    print(len(graphs), graphs["x"].shape, trained.evaluate(graphs).accuracy)
