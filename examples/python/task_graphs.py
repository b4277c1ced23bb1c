"""Predicts when each task of a plan ends: a network over directed acyclic graphs with float features from NumPy.

Task v lasts `duration[v]` and begins when all tasks that it needs have ended, so it ends at
duration[v] + max(end[u] for u needed by v). The network reads only the durations and the graph.

    python examples/python/task_graphs.py
"""

import argparse

import numpy as np

import cavs


def random_tasks(samples: int, rng: np.random.Generator) -> cavs.Graphs:
    """Graphs of 5 to 15 tasks, each of which needs up to three earlier ones."""
    sizes = rng.integers(5, 16, samples)
    begin = np.concatenate([[0], np.cumsum(sizes)])
    duration = rng.uniform(0.0, 1.0, begin[-1]).astype(np.float32)
    end = duration.copy()
    needed: list[int] = []
    needing: list[int] = []
    for first, last in zip(begin[:-1], begin[1:]):
        for v in range(first, last):
            for u in rng.choice(np.arange(first, v), min(v - first, rng.integers(0, 4)), replace=False):
                needed.append(u)
                needing.append(v)
                end[v] = max(end[v], end[u] + duration[v])
    return cavs.Graphs.from_edges(sizes, np.array(needed), np.array(needing),
                                  ports={"duration": duration, "end": end})


def end_times(h: int) -> cavs.Model:
    m = cavs.Model(seed=1)
    W, U, b = m.parameter("W", (1, h)), m.parameter("U", (h, h)), m.parameter("b", h)
    V, c = m.parameter("V", (h, h)), m.parameter("c", h)
    Wy = m.parameter("Wy", (h, 1))

    @m.vertex_function("vertex")  # the default type of graphs
    def end_time(v: cavs.Vertex) -> None:
        latest = v.children("h").max()  # zeros if a task needs no others
        x = cavs.relu(v.pull("duration", 1) @ W + latest @ U + b)
        y = latest + x @ V + c
        v.scatter(h=y)
        v.push(end=y @ Wy)
        v.loss(cavs.mean_squared_error(v.pushed("end"), v.pull("end", 1)))

    return m


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=32)
    options = parser.parse_args()

    rng = np.random.default_rng(1)
    train, test = random_tasks(options.samples, rng), random_tasks(500, rng)
    trained = cavs.fit(end_times(options.hidden), train, epochs=options.epochs, batch_size=32,
                       lr=0.003)
    ends = trained.predict(test)["end"]
    error = np.sqrt(np.mean((ends - test["end"]) ** 2))
    print(f"root mean squared error {error:.3f}; the end times vary by {test['end'].std():.3f}")


if __name__ == "__main__":
    main()
