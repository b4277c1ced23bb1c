#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "training.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

std::string show(const Evaluation& e) {
  std::string text = fmt::format("<cavs.Evaluation: {} samples, {} labels, loss {:.4f}", e.samples, e.labels, e.loss);
  for (const auto& [name, value] : {std::pair{"accuracy", e.accuracy},
                                    {"root_accuracy", e.root_accuracy},
                                    {"token_f1", e.token_f1},
                                    {"entity_f1", e.entity_f1},
                                    {"pearson", e.pearson}})
    if (!std::isnan(value)) text += fmt::format(", {} {:.4f}", name, value);
  return text + ">";
}

}  // namespace

void bind_reports(nb::module_& m) {
  nb::class_<TrainStep>(m, "TrainStep", "The results of one training step.")
      .def_ro("samples", &TrainStep::samples, "Number of samples of the step.")
      .def_ro("labels", &TrainStep::labels, "Number of labels: losses that were added up, one or more per vertex.")
      .def_ro("loss_sum", &TrainStep::loss_sum, "Sum of the losses of all vertices.")
      .def_ro("loss", &TrainStep::loss, "loss_sum / samples. Gradients are those of this loss.")
      .def_ro("gradient_norm", &TrainStep::gradient_norm,
              "Norm of the gradients before clipping; NaN unless the trainer has `clip_norm` or `gradient_norm=True`.")
      .def_ro("learning_rate", &TrainStep::learning_rate, "Learning rate of this step, according to the schedule.")
      .def_ro("forward_ms", &TrainStep::forward_ms, "Milliseconds of the forward pass.")
      .def_ro("backward_ms", &TrainStep::backward_ms, "Milliseconds of the backward pass.")
      .def_ro("update_ms", &TrainStep::update_ms, "Milliseconds of the parameter update.")
      .def_ro("wait_ms", &TrainStep::wait_ms, "Milliseconds of waiting for the other ranks; 0 without `job`.")
      .def_ro("exchange_ms", &TrainStep::exchange_ms,
              "Milliseconds to add the gradients of all ranks; 0 without `job`.")
      .def("__repr__", [](const TrainStep& s) {
        return fmt::format("<cavs.TrainStep: {} samples, loss {:.4f}>", s.samples, s.loss);
      });
  nb::class_<Evaluation>(m, "Evaluation",
                         "The quality of a model on labelled graphs. A number that cannot be computed is NaN.")
      .def_ro("samples", &Evaluation::samples, "Number of evaluated samples.")
      .def_ro("labels", &Evaluation::labels, "Number of labelled vertices.")
      .def_ro("roots", &Evaluation::roots, "Number of labelled vertices without parents.")
      .def_ro("loss", &Evaluation::loss, "Mean loss per label.")
      .def_ro("perplexity", &Evaluation::perplexity, "exp(loss).")
      .def_ro("accuracy", &Evaluation::accuracy, "Accuracy over labelled vertices.")
      .def_ro("root_accuracy", &Evaluation::root_accuracy, "Accuracy over labelled vertices without parents.")
      .def_ro("token_f1", &Evaluation::token_f1, "F1 over labels other than O, from 0 to 1.")
      .def_ro("entity_f1", &Evaluation::entity_f1, "F1 over whole entities of IOB or IOBES tags, from 0 to 1.")
      .def_ro("pearson", &Evaluation::pearson, "Pearson correlation of scores and targets.")
      .def_ro("spearman", &Evaluation::spearman, "Spearman correlation of scores and targets.")
      .def_ro("mean_squared_error", &Evaluation::mean_squared_error, "Mean squared error of scores.")
      .def("__repr__", &show);
  nb::class_<EpochReport>(m, "EpochReport", "The results of one epoch of training.")
      .def_ro("epoch", &EpochReport::epoch, "Number of the epoch, from 1.")
      .def_ro("train_loss", &EpochReport::train_loss, "Mean loss per label.")
      .def_ro("dev", &EpochReport::dev, "Evaluation on the development data; None without labelled development data.")
      .def_ro("learning_rate", &EpochReport::learning_rate, "Learning rate of the last step.")
      .def_ro("seconds", &EpochReport::seconds, "Seconds of training, without the evaluation.")
      .def_ro("samples_per_second", &EpochReport::samples_per_second, "Samples per second of training.")
      .def_ro("best", &EpochReport::best, "True if this epoch is the best so far.")
      .def_ro("metrics", &EpochReport::own, "Values of your own metrics, by name.")
      .def("__repr__", [](const EpochReport& r) {
        std::string own;
        for (const auto& [name, value] : r.own) own += fmt::format(", {} {:.4f}", name, value);
        return fmt::format("<cavs.EpochReport {}: loss {:.4f}{}{}>", r.epoch, r.train_loss,
                           r.dev ? fmt::format(", dev {}", show(*r.dev)) : "", own);
      });
}

}  // namespace cavs::python
