"""The training loop in one call."""

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
    """Trains a model for `epochs` epochs and returns it trained.

    dev: graphs to evaluate on after each epoch; None: the development part of the data set.
    save, save_every: a checkpoint after each epoch, and each N steps. Ctrl-C saves, too, and raises KeyboardInterrupt.
    save_best, best_by, patience: a file for the best epoch by "loss", "accuracy", another number of `metric`
    ("accuracy", "perplexity", "f1", "correlation") or one of `metrics`; the end after so many epochs that are no better.
    metrics: name -> function(predictions, dev), computed after each epoch; lower_is_better: those of which less is better.
    on_epoch, on_step (each `every` steps): called with a report; one that returns True ends training.
    progress: shows on standard error how far it is: a bar on a terminal and in a notebook, a line every ten seconds
    elsewhere, and a line an epoch.
    parameters: name -> array, initial values of your own, such as pretrained vectors; the others' are the model's.
    options: those of Trainer, such as optimizer, lr, batch_size, threads, seed; job: of several processes that train
    together (cavs.distributed), of which the first writes files and shows progress.

    Raises Error as Trainer and Trainer.fit do, and what a callback, a metric or a generator raises, as it is.
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
