#include "training.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "cavs/fit.h"
#include "cavs/trainer.h"
#include "support/check.h"
#include "support/suggest.h"
#include "train/trained_data.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

constexpr const char* kTrainer = "trainer";

/// None where no metric is named: then accuracy, where it can be computed.
std::optional<Metric> metric_named(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  static constexpr std::pair<std::string_view, Metric> kMetrics[]{{"accuracy", Metric::kAccuracy},
                                                                  {"perplexity", Metric::kPerplexity},
                                                                  {"f1", Metric::kF1},
                                                                  {"correlation", Metric::kCorrelation}};
  std::vector<std::string_view> known;
  for (const auto& [text, metric] : kMetrics) {
    if (text == *name) return metric;
    known.push_back(text);
  }
  user_error("unknown metric '{}'; {}", *name, suggest(*name, known));
}

struct PyTrainer {
  Model model;
  std::shared_ptr<const GraphSet> graphs = {}, dev = {};  // as the model evaluates them; dev may be null
  Checkpoint record = {};
  SessionOptions session = {};
  std::vector<std::string> tags = {};
  std::unique_ptr<Trainer> trainer = nullptr;
  std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);

  Checkpoint capture() const {
    Checkpoint checkpoint = record;
    trainer->capture(checkpoint);
    return checkpoint;
  }
};

using Data = std::variant<PyGraphs, PyDataset>;

void use_data(PyTrainer& self, const Data& data) {
  if (const auto* graphs = std::get_if<PyGraphs>(&data)) {
    self.record.extra[kSchemaKey] = schema_to_json(graphs->set->schema());
    self.graphs = graphs_for(self.model, "", graphs->set);
    return;
  }
  const auto& [dataset, spec, graph_builder] = std::get<PyDataset>(data);
  record_data(*dataset, self.record);
  if (!graph_builder.empty()) self.record.extra[kGraphBuilderKey] = graph_builder;
  self.record.data = spec, self.tags = dataset->tags;
  self.graphs = graphs_for(self.model, "", std::shared_ptr<const GraphSet>(dataset, &dataset->train));
  if (dataset->dev.size() > 0)
    self.dev = graphs_for(self.model, "", std::shared_ptr<const GraphSet>(dataset, &dataset->dev));
}

void init(PyTrainer* at, const PyModel& model, const Data& data,
          const std::variant<OptimizerOptions, std::string>& optimizer, std::optional<double> lr, int batch_size,
          bool shuffle, std::int64_t buckets, int accumulate, double clip_norm, double ema, std::uint64_t seed,
          int threads, const std::string& engine, const std::string& policy, const std::string& precision) {
  user_check(!model.declaring, "the model is being declared; train it afterwards");
  auto self = std::make_unique<PyTrainer>(PyTrainer{.model = model.model});
  TrainOptions options{.batch_size = batch_size,
                       .shuffle = shuffle,
                       .buckets = buckets,
                       .clip_norm = clip_norm,
                       .accumulate = accumulate,
                       .ema = ema,
                       .seed = seed};
  const auto* kind = std::get_if<std::string>(&optimizer);
  options.optimizer = kind != nullptr ? optimizer_defaults(*kind) : std::get<OptimizerOptions>(optimizer);
  if (lr) options.optimizer.lr = *lr;
  options.session = {.threads = threads,
                     .engine = option_named<EngineKind>(engine),
                     .policy = policy,
                     .precision = option_named<Precision>(precision)};
  self->session = options.session;
  {
    const nb::gil_scoped_release release;
    use_data(*self, data);
    self->trainer = std::make_unique<Trainer>(self->model, *self->graphs, options);
  }
  new (at) PyTrainer(std::move(*self));
}

TrainStep step(PyTrainer& self) {
  const Busy busy(*self.busy, kTrainer);
  const nb::gil_scoped_release release;
  return self.trainer->step();
}

std::vector<EpochReport> fit_epochs(PyTrainer& self, std::int64_t epochs, const std::optional<PyGraphs>& dev,
                                    const std::string& save, std::int64_t save_every, const std::string& save_best,
                                    const std::string& best_by, std::int64_t patience,
                                    const std::optional<std::string>& metric, const nb::object& on_epoch,
                                    const nb::object& on_step) {
  const Busy busy(*self.busy, kTrainer);
  FitOptions options{.epochs = epochs,
                     .save = save,
                     .save_every = save_every,
                     .session = self.session,
                     .metric = metric_named(metric),
                     .tags = self.tags,
                     .best_by = best_by,
                     .save_best = save_best,
                     .patience = patience};
  std::vector<EpochReport> reports;
  std::unique_ptr<nb::python_error> interrupted;
  // Ctrl-C ends training after the step, with a checkpoint, wherever it arrives; then Python has its exception.
  const auto call = [&](const nb::object& callback, const auto& report) {
    const nb::gil_scoped_acquire acquire;
    try {
      callback(report);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      interrupted = std::make_unique<nb::python_error>(std::move(error));
    }
  };
  FitHooks hooks;
  if (!on_step.is_none()) hooks.step = [&](const TrainStep& done) { call(on_step, done); };
  hooks.epoch = [&](const EpochReport& report) {
    reports.push_back(report);
    if (!on_epoch.is_none()) call(on_epoch, report);
  };
  hooks.stop = [&] {
    const nb::gil_scoped_acquire acquire;
    if (interrupted == nullptr && PyErr_CheckSignals() != 0) interrupted = std::make_unique<nb::python_error>();
    return interrupted != nullptr;
  };
  {
    const nb::gil_scoped_release release;
    const GraphSet none(self.graphs->schema());
    const auto given = dev ? graphs_for(self.model, "", dev->set) : self.dev;
    fit(*self.trainer, self.model, given == nullptr ? none : *given, options, hooks, self.record);
  }
  if (interrupted != nullptr) throw nb::python_error(std::move(*interrupted));
  return reports;
}

Evaluation evaluate_with(PyTrainer& self, const PyGraphs& graphs, int batch_size,
                         const std::optional<std::string>& metric) {
  const Busy busy(*self.busy, kTrainer);
  const auto wanted = metric_named(metric);
  const nb::gil_scoped_release release;
  const auto evaluated = graphs_for(self.model, "", graphs.set);
  return evaluate(self.model, self.trainer->evaluated_parameters(), *evaluated, self.session, batch_size, wanted,
                  self.tags);
}

void resume(PyTrainer& self, const std::string& path) {
  const Busy busy(*self.busy, kTrainer);
  const nb::gil_scoped_release release;
  const Checkpoint checkpoint = load_checkpoint(path);
  user_check(checkpoint.vocabulary == self.record.vocabulary,
             "{} knows {} words, the data have {} others; resume with the data that it was trained on", path,
             checkpoint.vocabulary.size(), self.record.vocabulary.size());
  self.trainer->restore(checkpoint);
  self.record.metrics = checkpoint.metrics;
}

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

void bind_reports(nb::module_& m) {
  nb::class_<TrainStep>(m, "TrainStep", "What one step did.")
      .def_ro("samples", &TrainStep::samples)
      .def_ro("labels", &TrainStep::labels)
      .def_ro("loss_sum", &TrainStep::loss_sum, "Over vertices.")
      .def_ro("loss", &TrainStep::loss, "loss_sum / samples; gradients are of this.")
      .def_ro("gradient_norm", &TrainStep::gradient_norm, "Before clipping.")
      .def_ro("learning_rate", &TrainStep::learning_rate)
      .def_ro("forward_ms", &TrainStep::forward_ms)
      .def_ro("backward_ms", &TrainStep::backward_ms)
      .def_ro("update_ms", &TrainStep::update_ms)
      .def("__repr__", [](const TrainStep& s) {
        return fmt::format("<cavs.TrainStep: {} samples, loss {:.4f}>", s.samples, s.loss);
      });
  nb::class_<Evaluation>(m, "Evaluation", "How good a model is. A number that cannot be computed is NaN.")
      .def_ro("samples", &Evaluation::samples)
      .def_ro("labels", &Evaluation::labels)
      .def_ro("roots", &Evaluation::roots)
      .def_ro("loss", &Evaluation::loss, "Mean per label.")
      .def_ro("perplexity", &Evaluation::perplexity)
      .def_ro("accuracy", &Evaluation::accuracy, "Of labelled vertices.")
      .def_ro("root_accuracy", &Evaluation::root_accuracy)
      .def_ro("token_f1", &Evaluation::token_f1)
      .def_ro("entity_f1", &Evaluation::entity_f1)
      .def_ro("pearson", &Evaluation::pearson)
      .def_ro("spearman", &Evaluation::spearman)
      .def_ro("mean_squared_error", &Evaluation::mean_squared_error)
      .def("__repr__", &show);
  nb::class_<EpochReport>(m, "EpochReport", "The results of one epoch of training.")
      .def_ro("epoch", &EpochReport::epoch, "From 1.")
      .def_ro("train_loss", &EpochReport::train_loss, "Mean loss per label.")
      .def_ro("dev", &EpochReport::dev, "None without labelled development data.")
      .def_ro("learning_rate", &EpochReport::learning_rate)
      .def_ro("seconds", &EpochReport::seconds, "Of training.")
      .def_ro("samples_per_second", &EpochReport::samples_per_second)
      .def_ro("best", &EpochReport::best, "So far.")
      .def("__repr__", [](const EpochReport& r) {
        return fmt::format("<cavs.EpochReport {}: loss {:.4f}{}>", r.epoch, r.train_loss,
                           r.dev ? fmt::format(", dev {}", show(*r.dev)) : "");
      });
}

void bind_trainer(nb::module_& m) {
  nb::class_<PyTrainer>(m, "Trainer",
                        "Trains a model on graphs, or on the training part of a data set.\n\n"
                        "The same seed, data and options give the same bits, whatever the number of threads. Python's "
                        "lock is released while it works; one thread at a time may use a trainer.")
      .def("__init__", &init, "model"_a, "data"_a, nb::kw_only(), "optimizer"_a = "adam", "lr"_a = nb::none(),
           "batch_size"_a = 64, "shuffle"_a = true, "buckets"_a = 0, "accumulate"_a = 1, "clip_norm"_a = 0, "ema"_a = 0,
           "seed"_a = 1, "threads"_a = 1, "engine"_a = "batched", "policy"_a = "frontier", "precision"_a = "fp32")
      .def("step", &step, "Trains on the next minibatch.")
      .def("fit", &fit_epochs, "epochs"_a = 10, nb::kw_only(), "dev"_a = nb::none(), "save"_a = "", "save_every"_a = 0,
           "save_best"_a = "", "best_by"_a = "", "patience"_a = 0, "metric"_a = nb::none(), "on_epoch"_a = nb::none(),
           "on_step"_a = nb::none(),
           nb::sig(
               "def fit(self, epochs: int = 10, *, dev: Graphs | None = None, save: str = \"\", save_every: int = 0, "
               "save_best: str = \"\", best_by: str = \"\", patience: int = 0, metric: str | None = None, "
               "on_epoch: Callable[[EpochReport], object] | None = None, "
               "on_step: Callable[[TrainStep], object] | None = None) -> list[EpochReport]"),
           "The training loop: `epochs` in total, evaluation on `dev` (default: that of the data set), checkpoints.\n"
           "Ctrl-C ends it after the step, with a checkpoint where `save` is given, and raises KeyboardInterrupt.")
      .def("evaluate", &evaluate_with, "graphs"_a, nb::kw_only(), "batch_size"_a = 64, "metric"_a = nb::none())
      .def(
          "save",
          [](PyTrainer& self, const std::string& path) {
            const Busy busy(*self.busy, kTrainer);
            const nb::gil_scoped_release release;
            save_checkpoint(path, self.capture());
          },
          "path"_a, "Saves a checkpoint, from which training can go on; `cavs predict` reads it, too.")
      .def("resume", &resume, "path"_a, "Goes on from a checkpoint, to the same bits as without a stop.")
      .def(
          "trained",
          [](PyTrainer& self) {
            const Busy busy(*self.busy, kTrainer);
            const nb::gil_scoped_release release;
            return make_trained(self.capture());
          },
          "A copy of the model with the parameters that it has now.")
      .def_prop_ro("parameters",
                   [](PyTrainer& self) {
                     return PyParameters{self.trainer->shared_parameters(), self.busy};
                   })
      .def_prop_ro(
          "steps",
          [](PyTrainer& self) {
            const Busy busy(*self.busy, kTrainer);
            return self.trainer->position().step;
          },
          "That were made so far.")
      .def_prop_ro(
          "epoch",
          [](PyTrainer& self) {
            const Busy busy(*self.busy, kTrainer);
            return self.trainer->position().epoch;
          },
          "The epoch of the next step, from 0.")
      .def_prop_ro("steps_per_epoch", [](PyTrainer& self) {
        const Busy busy(*self.busy, kTrainer);
        return self.trainer->steps_per_epoch();
      });
}

}  // namespace

void bind_training(nb::module_& m) {
  bind_reports(m);
  bind_trainer(m);
}

}  // namespace cavs::python
