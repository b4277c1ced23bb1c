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
  nb::class_<TrainStep>(m, "TrainStep", "What one step did.")
      .def_ro("samples", &TrainStep::samples, "In the minibatch.")
      .def_ro("labels", &TrainStep::labels, "Losses that were added: vertices, or parts of one.")
      .def_ro("loss_sum", &TrainStep::loss_sum, "Over vertices.")
      .def_ro("loss", &TrainStep::loss, "loss_sum / samples; gradients are of this.")
      .def_ro("gradient_norm", &TrainStep::gradient_norm,
              "Before clipping; NaN unless the trainer clips or was made with `gradient_norm=True`.")
      .def_ro("learning_rate", &TrainStep::learning_rate, "Of this step, by its schedule.")
      .def_ro("forward_ms", &TrainStep::forward_ms, "Milliseconds.")
      .def_ro("backward_ms", &TrainStep::backward_ms, "Milliseconds.")
      .def_ro("update_ms", &TrainStep::update_ms, "Milliseconds.")
      .def_ro("wait_ms", &TrainStep::wait_ms, "Milliseconds until all ranks were there, with `job`.")
      .def_ro("exchange_ms", &TrainStep::exchange_ms, "Milliseconds to add the gradients of all ranks, with `job`.")
      .def("__repr__", [](const TrainStep& s) {
        return fmt::format("<cavs.TrainStep: {} samples, loss {:.4f}>", s.samples, s.loss);
      });
  nb::class_<Evaluation>(m, "Evaluation", "How good a model is. A number that cannot be computed is NaN.")
      .def_ro("samples", &Evaluation::samples, "Evaluated.")
      .def_ro("labels", &Evaluation::labels, "Labelled vertices.")
      .def_ro("roots", &Evaluation::roots, "Labelled vertices without parents.")
      .def_ro("loss", &Evaluation::loss, "Mean per label.")
      .def_ro("perplexity", &Evaluation::perplexity, "exp(loss).")
      .def_ro("accuracy", &Evaluation::accuracy, "Of labelled vertices.")
      .def_ro("root_accuracy", &Evaluation::root_accuracy, "Of labelled vertices without parents.")
      .def_ro("token_f1", &Evaluation::token_f1, "Of labels that are not O, from 0 to 1.")
      .def_ro("entity_f1", &Evaluation::entity_f1, "Of whole entities of IOB or IOBES tags, from 0 to 1.")
      .def_ro("pearson", &Evaluation::pearson, "Correlation of scores.")
      .def_ro("spearman", &Evaluation::spearman, "Correlation of the ranks of scores.")
      .def_ro("mean_squared_error", &Evaluation::mean_squared_error, "Of scores.")
      .def("__repr__", &show);
  nb::class_<EpochReport>(m, "EpochReport", "The results of one epoch of training.")
      .def_ro("epoch", &EpochReport::epoch, "From 1.")
      .def_ro("train_loss", &EpochReport::train_loss, "Mean loss per label.")
      .def_ro("dev", &EpochReport::dev, "None without labelled development data.")
      .def_ro("learning_rate", &EpochReport::learning_rate, "Of the last step.")
      .def_ro("seconds", &EpochReport::seconds, "Of training.")
      .def_ro("samples_per_second", &EpochReport::samples_per_second, "Of training.")
      .def_ro("best", &EpochReport::best, "So far.")
      .def_ro("metrics", &EpochReport::own, "Those of your own, by name.")
      .def("__repr__", [](const EpochReport& r) {
        std::string own;
        for (const auto& [name, value] : r.own) own += fmt::format(", {} {:.4f}", name, value);
        return fmt::format("<cavs.EpochReport {}: loss {:.4f}{}{}>", r.epoch, r.train_loss,
                           r.dev ? fmt::format(", dev {}", show(*r.dev)) : "", own);
      });
}

}  // namespace cavs::python
