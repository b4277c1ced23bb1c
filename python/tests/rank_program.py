"""Trains as one of several ranks: rank_program.py none|missing|mpi|torch FILE [TIMEOUT [EPOCHS]]

Writes a checkpoint to FILE, and the process ids of the ranks to FILE.RANK.
"""

import os
import sys

import cavs
import cavs.distributed
from models import tree_lstm


def main(way, file, timeout="60", epochs="2"):
    given = {}
    if way in ("mpi", "torch"):
        given["job"] = getattr(cavs.distributed, way)(timeout=float(timeout))
        with open(f"{file}.{given['job'].rank}", "w") as process:
            process.write(str(os.getpid()))
    elif way == "none":
        given["job"] = False
    data = cavs.load_data("listops:train=100,test=20,length=20")
    # Gradients of 256 KB are exchanged while others are computed.
    model = tree_lstm(16, 148, data.rows("word"), data.classes)
    cavs.fit(model, data, epochs=int(epochs), batch_size=4, accumulate=6, lr=0.01, ema=0.9, clip_norm=5,
             save=file, save_best=file + ".best", **given)
    print("trained" if way == "none" else f"trained on {given['job'].ranks}")


if __name__ == "__main__":
    main(*sys.argv[1:])
