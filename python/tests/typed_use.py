"""A user's program with all its types, for `mypy --strict`. It is not run."""

import numpy as np
from numpy.typing import NDArray

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


@cavs.elementwise
def swish(x: cavs.Scalar) -> cavs.Scalar:
    return x * cavs.sigmoid(x) + cavs.max(0, -x) * (x > 2)


@cavs.elementwise(gradient=lambda dy, y, x: dy)
def step(x: cavs.Scalar) -> cavs.Scalar:
    return cavs.greater(x, 0.5)


def network(words: int, tags: int) -> cavs.Model:
    m = cavs.Model()
    cell, output = cavs.GruCell(m, "cell", 8, 8), cavs.Linear(m, "output", 8, tags)
    E = cavs.TiedEmbedding(m, "words", words, 8)

    @m.vertex_function("read", over=["token"])
    def read(v: cavs.Vertex) -> None:
        v.push(h=cell.step(v, swish(E(v, v.pull_index("word"))), "read_"))

    @m.vertex_function("tag", over=["token"], reverse=True)
    def tag(v: cavs.Vertex) -> None:
        logits = output(v.pull("h", 8) ** 2)
        v.push(logits=logits, scores=E.scores(logits))
        v.loss(cavs.softmax_cross_entropy(logits, v.pull_index("label")))

    m.connect(("read", "h"), ("tag", "h"), cavs.RowMap.same())
    return m


def evaluate(model: cavs.Model, graphs: cavs.Graphs) -> NDArray[np.float32]:
    session = cavs.Session(model, model.parameters(), pull_gradients=True)
    run = session.forward(graphs, [0, 1], epoch=1)
    gradients = run.backward({"h": run.output("h")})
    loss: float = run.loss + float(gradients["output_W"].sum()) + len(gradients.rows("words"))
    tasks: list[tuple[str, int]] = model.schedule(graphs).tasks
    print(loss, tasks, [f.name for f in model.compile().functions], graphs.draw(0, ["a"]).svg())
    return session.parameters.view("output_W")


def main() -> None:
    data = cavs.load_data("random-trees", limit=10)
    model = declare(data.rows("word"), data.classes)
    trainer = cavs.Trainer(model, data, optimizer=cavs.optimizer("adam", lr=0.1), threads=2)
    loss: float = trainer.step().loss
    trained: cavs.TrainedModel = cavs.fit(model, data.train, dev=data.dev, epochs=2, lr=loss)
    logits = trained.predict(data.dev)["logits"]
    names: list[str] = list(trained.parameters)
    trained.parameters[names[0]] = np.zeros((3, 8))
    pending: cavs.PendingStep = trainer.start()
    stale: float | None = pending.stale_loss
    joined: cavs.Graphs = cavs.Graphs.concat([data.train[0], data.train[1:3]])
    streamed = cavs.Dataset.from_generator(lambda: iter([joined]), dev=joined)
    cavs.fit(model, streamed, metrics={"mean": lambda rows, dev: float(rows["logits"].mean()) + len(dev)},
             on_epoch=lambda report: report.train_loss < (stale or 0), progress=False)
    graphs = cavs.Graphs.from_arrays(np.array([0, 1]), np.array([0, 0]), np.array([], int), ports={"x": logits})
    print(len(graphs), graphs["x"].shape, trained.evaluate(graphs).accuracy)
