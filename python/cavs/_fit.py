"""The training loop in one call."""

from __future__ import annotations

from typing import Any, Callable

from ._core import Dataset, EpochReport, Graphs, Model, TrainedModel, Trainer, TrainStep


def print_epoch(report: EpochReport) -> None:
    """One line for an epoch."""
    line = f"epoch {report.epoch}: loss {report.train_loss:.4f}"
    if report.dev is not None:
        line += f", on new data {report.dev.loss:.4f}"
        if report.dev.accuracy == report.dev.accuracy:  # not NaN
            line += f", accuracy {100 * report.dev.accuracy:.1f} %"
    print(f"{line}; {report.samples_per_second:.0f} samples/s", flush=True)


def fit(model: Model, data: Graphs | Dataset, *, dev: Graphs | None = None, epochs: int = 10, save: str = "",
        save_every: int = 0, save_best: str = "", best_by: str = "", patience: int = 0, metric: str | None = None,
        on_epoch: Callable[[EpochReport], object] | None = print_epoch,
        on_step: Callable[[TrainStep], object] | None = None, **options: Any) -> TrainedModel:
    """Trains a model and returns it trained.

    The loop is Trainer.fit's; `options` are Trainer's. `on_epoch` prints a line; None is silent.
    """
    trainer = Trainer(model, data, **options)
    trainer.fit(epochs, dev=dev, save=save, save_every=save_every, save_best=save_best, best_by=best_by,
                patience=patience, metric=metric, on_epoch=on_epoch, on_step=on_step)
    return trainer.trained()
