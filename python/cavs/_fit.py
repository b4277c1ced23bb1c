"""The training loop in one call."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

import numpy
from numpy.typing import NDArray

from ._core import Dataset, EpochReport, Graphs, Model, TrainedModel, Trainer, TrainStep
from ._progress import Output

Metric = Callable[["dict[str, NDArray[numpy.float32]]", Graphs], float]


def fit(model: Model, data: Graphs | Dataset, *, dev: Graphs | None = None, epochs: int = 10, save: str = "",
        save_every: int = 0, save_best: str = "", best_by: str = "", patience: int = 0, metric: str | None = None,
        metrics: Mapping[str, Metric] | None = None, least_is_best: Sequence[str] = (), progress: bool = True,
        on_epoch: Callable[[EpochReport], object] | None = None,
        on_step: Callable[[TrainStep], object] | None = None, every: int = 1, **options: Any) -> TrainedModel:
    """Trains a model and returns it trained.

    The loop is Trainer.fit's, which says what its arguments are; `options` are Trainer's. `progress` shows on standard
    error how far it is: a bar on a terminal and in a notebook, a line every ten seconds elsewhere, and a line an epoch.
    """
    trainer = Trainer(model, data, **options)
    shown = Output() if progress else None

    def end_epoch(report: EpochReport) -> object:
        if shown is not None:
            shown.epoch(report)
        return on_epoch(report) if on_epoch is not None else None

    trainer.fit(epochs, dev=dev, save=save, save_every=save_every, save_best=save_best, best_by=best_by,
                patience=patience, metric=metric, metrics=metrics or {}, least_is_best=least_is_best,
                on_epoch=end_epoch, on_step=on_step, every=every, progress=shown)
    return trainer.trained()
