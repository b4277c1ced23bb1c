"""A child-sum Tree-LSTM (Tai, Socher and Manning, ACL 2015) on the Stanford Sentiment Treebank, from scratch.

    python examples/python/tree_lstm.py path/to/sst --save sst.cavs
    echo "(3 (2 A) (4 (3 great) (2 movie)))" | cavs predict sst.cavs
"""

import argparse

import cavs


def tree_lstm(words: int, classes: int, d: int, h: int) -> cavs.Model:
    m, zeros = cavs.Model(seed=1), cavs.Initializer.zeros()
    E = m.lookup("embedding", (words, d))
    W, U, b = m.parameter("W", (d, 3 * h)), m.parameter("U", (h, 3 * h)), m.parameter("b", 3 * h, zeros)
    Wf, Uf, bf = m.parameter("Wf", (d, h)), m.parameter("Uf", (h, h)), m.parameter("bf", h, zeros)
    Wy, by = m.parameter("output_W", (h, classes)), m.parameter("output_b", classes, zeros)

    @m.vertex_function
    def tree_lstm(v: cavs.Vertex) -> None:
        x, hs, cs = E(v.pull_index("word")), v.children("h"), v.children("c")
        i, o, u = (x @ W + hs.sum() @ U + b).split(3)
        f = cavs.sigmoid(x @ Wf + hs @ Uf + bf)  # one row per edge
        c = cavs.sigmoid(i) * cavs.tanh(u) + (f * cs).sum()
        y = cavs.sigmoid(o) * cavs.tanh(c)
        v.scatter(c=c, h=y)
        v.push(logits=y @ Wy + by)
        v.loss(cavs.softmax_cross_entropy(v.pushed("logits"), v.pull_index("label")))

    return m


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder with train.txt and dev.txt")
    parser.add_argument("--limit", type=int, default=0, help="number of training trees; 0: all")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--hidden", type=int, default=150)
    parser.add_argument("--save", default="", help="output file for the trained model")
    options = parser.parse_args()

    data = cavs.load_data(f"sst:{options.folder}", limit=options.limit)
    model = tree_lstm(data.rows("word"), data.classes, options.hidden, options.hidden)
    trained = cavs.fit(model, data, epochs=options.epochs, batch_size=25, optimizer="adagrad", lr=0.05,
                       save=options.save)
    print(f"root accuracy {100 * trained.evaluate(data.dev).root_accuracy:.1f} %")


if __name__ == "__main__":
    main()
