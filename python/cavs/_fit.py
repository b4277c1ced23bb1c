"""fit: training in one call."""

from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

import numpy
from numpy.typing import ArrayLike, NDArray

from ._core import Dataset, EpochReport, Graphs, Job, Model, TrainedModel, Trainer, TrainStep
from ._progress import Output

Metric = Callable[["dict[str, NDArray[numpy.float32]]", Graphs], float]


def fit(model: Model, data: Graphs | Dataset, *, dev: Graphs | None = None, epochs: int = 10,
        save: str | os.PathLike[str] = "", save_every: int = 0, save_best: str | os.PathLike[str] = "", best_by: str = "", patience: int = 0, metric: str | None = None,
        metrics: Mapping[str, Metric] | None = None, lower_is_better: Sequence[str] = (), progress: bool = True,
        on_epoch: Callable[[EpochReport], object] | None = None,
        on_step: Callable[[TrainStep], object] | None = None, every: int = 1,
        parameters: Mapping[str, ArrayLike] | None = None, **options: Any) -> TrainedModel:
    """Trains a model for `epochs` epochs and returns the trained model.

    dev: graphs to evaluate on after each epoch; None uses the development part of the data set.
    save: path of the checkpoint that is written after each epoch. Ctrl-C also saves, and raises KeyboardInterrupt.
    save_every: also saves after every so many steps; 0 saves only after epochs.
    save_best: path of a checkpoint of the best epoch.
    best_by: what "best" means: "loss", "accuracy", another number of `metric` or the name of one of `metrics`.
    patience: training ends after so many epochs without a better one; 0 never ends it early.
    metric: "accuracy", "perplexity", "f1" or "correlation".
    metrics: name -> function(predictions, dev) that returns a number, called after each epoch.
    lower_is_better: names of the metrics for which lower is better.
    on_epoch: called with an EpochReport after each epoch; returning True ends training.
    on_step: called with a TrainStep every `every` steps; returning True ends training.
    progress: True shows progress on standard error: a bar on a terminal and in a notebook, else a line every ten
    seconds; and a line per epoch.
    parameters: name -> array, initial values of your own such as pretrained vectors; other parameters keep the model's.
    options: options of Trainer, such as optimizer, lr, batch_size, threads, seed. With job (cavs.distributed), several
    processes train together, and the first writes files and shows progress.

    Raises Error as Trainer and Trainer.fit do. Exceptions of callbacks, metrics and generators are passed on.
    """
    trainer = Trainer(model, data, **options)
    if parameters:
        trainer.parameters.update(parameters)
    job = options.get("job")
    shown = Output() if progress and not (isinstance(job, Job) and job.rank > 0) else None

    def end_epoch(report: EpochReport) -> object:
        if shown is not None:
            shown.epoch(report)
        return on_epoch(report) if on_epoch is not None else None

    trainer.fit(epochs, dev=dev, save=save, save_every=save_every, save_best=save_best, best_by=best_by,
                patience=patience, metric=metric, metrics=metrics or {}, lower_is_better=lower_is_better,
                on_epoch=end_epoch, on_step=on_step, every=every, progress=shown)
    return trainer.trained()
