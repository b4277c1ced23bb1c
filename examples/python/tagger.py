"""A named-entity tagger: an LSTM in each direction, with optional pretrained word vectors.

    python examples/python/tagger.py train.conll dev.conll --vectors vectors.vec --save tagger.cavs
    echo "She moved from Berlin to New York ." | cavs predict tagger.cavs

WikiGold and WikiNEuRal have this format. `scripts/word-vectors.py` trains vectors on text; files of GloVe and word2vec
also work.
"""

import argparse

import cavs


def bilstm(words: int, tags: int, d: int, h: int) -> cavs.Model:
    m, zeros = cavs.Model(seed=1), cavs.Initializer.zeros()
    E = m.lookup("embedding", (words, d))
    for direction in ["forward", "backward"]:
        W, U = m.parameter(f"{direction}_W", (d, 4 * h)), m.parameter(f"{direction}_U", (h, 4 * h))
        b = m.parameter(f"{direction}_b", 4 * h, zeros)

        @m.vertex_function(direction, over=["token"], reverse=direction == "backward")
        def lstm(v: cavs.Vertex) -> None:
            x = cavs.dropout(E(v.pull_index("word")), 0.3)
            i, f, o, u = (x @ W + v.gather(0, "h") @ U + b).split(4)
            c = cavs.sigmoid(i) * cavs.tanh(u) + cavs.sigmoid(f + 1.0) * v.gather(0, "c")
            y = cavs.sigmoid(o) * cavs.tanh(c)
            v.scatter(c=c, h=y)
            v.push(h=y)

    Wl, Wr, by = m.parameter("Wl", (h, tags)), m.parameter("Wr", (h, tags)), m.parameter("by", tags, zeros)

    @m.vertex_function("tagger", over=["token"])
    def tagger(v: cavs.Vertex) -> None:
        v.push(logits=cavs.dropout(v.pull("left", h), 0.3) @ Wl + cavs.dropout(v.pull("right", h), 0.3) @ Wr + by)
        v.loss(cavs.softmax_cross_entropy(v.pushed("logits"), v.pull_index("label")))

    m.connect(("forward", "h"), ("tagger", "left"))
    m.connect(("backward", "h"), ("tagger", "right"))
    return m


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train", help="a token and its tag per line (CoNLL), a blank line between sentences")
    parser.add_argument("dev")
    parser.add_argument("--vectors", help="file of pretrained word vectors; --embedding must be their width")
    parser.add_argument("--embedding", type=int, default=100)
    parser.add_argument("--hidden", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--limit", type=int, default=0, help="number of training sentences; 0: all")
    parser.add_argument("--save", default="", help="output file for the trained model")
    options = parser.parse_args()

    data = cavs.load_data(f"conll:train={options.train},dev={options.dev},tags=iobes", limit=options.limit)
    model = bilstm(data.rows("word"), data.classes, options.embedding, options.hidden)
    trainer = cavs.Trainer(model, data, lr=0.002, batch_size=16)
    if options.vectors:
        found = trainer.load_vectors(options.vectors)
        print(f"{found} of {len(data.words)} words have pretrained vectors")

    def show(report: cavs.EpochReport) -> None:
        assert report.dev is not None
        print(f"epoch {report.epoch}: loss {report.train_loss:.3f}, entity F1 {100 * report.dev.entity_f1:.1f}", flush=True)

    trainer.fit(options.epochs, metric="f1", save=options.save, on_epoch=show)


if __name__ == "__main__":
    main()
