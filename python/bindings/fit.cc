#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "support/check.h"
#include "training.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

using Clock = std::chrono::steady_clock;
using Metrics = std::map<std::string, nb::object>;

/// Time between two checks for signals. A check takes the GIL, for which it may have to wait.
constexpr auto kSignalPause = std::chrono::milliseconds(50);

bool is_true(const nb::object& answer) {
  if (PyBool_Check(answer.ptr())) return answer.ptr() == Py_True;
  if (answer.is_none()) return false;
  const nb::object of_numpy = nb::module_::import_("numpy").attr("bool_");
  return nb::isinstance(answer, of_numpy) && PyObject_IsTrue(answer.ptr()) == 1;
}

void expect_function(const std::string& what, const nb::object& given) {
  if (!PyCallable_Check(given.ptr()))
    throw nb::type_error(
        fmt::format("{} is of type {}; expected a function", what, nb::type_name(given.type()).c_str()).c_str());
}

/// The callbacks of fit(). A KeyboardInterrupt, wherever it is raised, ends training after the current step with a
/// checkpoint, and is then raised again. Each call takes the GIL.
class Callbacks {
 public:
  /// Calls f(), which may call Python. Keeps a KeyboardInterrupt that f() raises, and throws other errors.
  template <typename F>
  void guarded(F f) {
    try {
      f();
    } catch (nb::python_error& error) {
      if (!keep(error)) throw;
    }
  }
  /// Calls a callback with a report. If the callback returns True, training ends.
  template <typename Report>
  void call(const nb::object& callback, const Report& report) {
    const nb::gil_scoped_acquire acquire;
    guarded([&] { stopped_ = is_true(callback(report)) || stopped_; });
  }
  bool wants_to_stop() {
    const auto now = Clock::now();
    if (interrupted_ == nullptr && now - looked_ >= kSignalPause) {
      looked_ = now;
      const nb::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() != 0) guarded([] { throw nb::python_error(); });
    }
    return stopped_ || interrupted_ != nullptr;
  }
  /// True if the error of a step is a KeyboardInterrupt, such as one raised in a generator of samples.
  bool is_interrupt(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (nb::python_error& python) {
      const nb::gil_scoped_acquire acquire;
      return keep(python);
    } catch (...) {
      return false;
    }
  }
  bool interrupted() const { return interrupted_ != nullptr; }
  /// Raises a pending KeyboardInterrupt. The caller holds the GIL.
  void raise_interrupt() {
    if (interrupted_ != nullptr) throw nb::python_error(std::move(*interrupted_));
  }

 private:
  bool keep(nb::python_error& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) return false;
    if (interrupted_ == nullptr) interrupted_ = std::make_unique<nb::python_error>(error);
    return true;
  }

  std::unique_ptr<nb::python_error> interrupted_;
  bool stopped_ = false;
  Clock::time_point looked_ = Clock::now();
};

/// Returns an output that calls output.line(text) and, unless it is None, output.draw(text). Their exceptions, such as
/// for a closed standard error, do not end training.
ProgressOutput progress_output(const nb::object& output, Callbacks& callbacks) {
  const auto to = [&](const char* name, bool may_repeat) -> std::function<void(const std::string&)> {
    return [&callbacks, name, may_repeat, &output](const std::string& text) {
      const nb::gil_scoped_acquire acquire;
      const auto write = [&] { output.attr(name)(text); };
      const bool before = callbacks.interrupted();
      try {
        callbacks.guarded(write);
        if (may_repeat && callbacks.interrupted() && !before) callbacks.guarded(write);  // it was cut short
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("cavs progress");
      }
    };
  };
  ProgressOutput made{.draw = nullptr, .line = to("line", false)};
  if (!output.attr("draw").is_none()) made.draw = to("draw", true);
  return made;
}

/// Returns the caller's metric, computed from predictions for `dev` with the current parameters; NaN if interrupted.
OwnMetric own_metric(const std::string& name, const nb::object& compute, bool lower_is_better, PyTrained& now,
                     const PyGraphs& dev, int threads, Callbacks& callbacks) {
  return {.name = name,
          .compute =
              [&now, &dev, threads, &callbacks, name, compute = compute.ptr()] {
                const nb::gil_scoped_acquire acquire;
                double number = std::numeric_limits<double>::quiet_NaN();
                callbacks.guarded([&] {
                  const nb::object value = nb::borrow(compute)(predict(now, dev, 64, threads, "cpu"), dev);
                  user_check(nb::try_cast(value, number), "metric '{}' returned a {}; expected a number", name,
                             nb::type_name(value.type()).c_str());
                });
                return number;
              },
          .lower_is_better = lower_is_better};
}

/// Returns the model with the trainer's evaluated parameters, which are shared, not copied.
std::unique_ptr<PyTrained> share_evaluated_model(PyTrainer& self) {
  auto now = std::make_unique<PyTrained>();
  now->trained.model = self.model;
  now->trained.parameters = self.trainer->evaluated_parameters();
  now->parameters = {now->trained.parameters, std::make_shared<std::atomic<bool>>(false)};
  return now;
}

std::vector<EpochReport> fit_epochs(PyTrainer& self, std::int64_t epochs, const std::optional<PyGraphs>& dev,
                                    nb::handle save, std::int64_t save_every, nb::handle save_best,
                                    const std::string& best_by, std::int64_t patience,
                                    const std::optional<std::string>& metric, const Metrics& metrics,
                                    const std::vector<std::string>& lower_is_better, const nb::object& on_epoch,
                                    const nb::object& on_step, std::int64_t every, const nb::object& progress) {
  const InUse use(self);
  user_check(every >= 1, "every is {}; expected at least 1 step between calls of on_step", every);
  const PyGraphs& given_dev = dev ? *dev : self.given_dev;
  user_check(metrics.empty() || given_dev.set != nullptr,
             "metrics are computed on development data, and there are none; give `dev`");
  user_check(save_every >= 0, "save_every is {}; expected 0 (save only after epochs) or a number of steps", save_every);
  for (const auto& [name, compute] : metrics) expect_function("metric '" + name + "'", compute);
  if (!on_epoch.is_none()) expect_function("on_epoch", on_epoch);
  if (!on_step.is_none()) expect_function("on_step", on_step);
  for (const std::string& name : lower_is_better)
    user_check(metrics.contains(name), "lower_is_better has '{}', which is not one of the metrics", name);
  const std::unique_ptr<PyTrained> now = share_evaluated_model(self);
  FitOptions options{.epochs = epochs,
                     .save = path_from(save),
                     .save_every = save_every,
                     .metric = metric_named(metric),
                     .best_by = best_by,
                     .save_best = path_from(save_best),
                     .patience = patience};
  Callbacks callbacks;
  for (const auto& [name, compute] : metrics)
    options.own.push_back(own_metric(name, compute, std::ranges::count(lower_is_better, name) > 0, *now, given_dev,
                                     self.trainer->options().session.threads, callbacks));
  std::vector<EpochReport> reports;
  std::optional<Progress> shown;
  if (!progress.is_none())
    shown.emplace(self.trainer->steps_per_epoch(), epochs, self.trainer->position().step,
                  progress_output(progress, callbacks));
  FitHooks hooks{.look = !on_step.is_none(),
                 .stop = [&] { return callbacks.wants_to_stop(); },
                 .failed = [&](const std::exception_ptr& error) { return callbacks.is_interrupt(error); }};
  if (shown || !on_step.is_none())
    hooks.step = [&](const TrainStep& done) {
      if (shown) shown->step(done);
      if (!on_step.is_none() && self.trainer->position().step % every == 0) callbacks.call(on_step, done);
    };
  hooks.epoch = [&](const EpochReport& report) {
    reports.push_back(report);
    if (shown) shown->end_epoch();
    if (!on_epoch.is_none()) callbacks.call(on_epoch, report);
  };
  {
    const nb::gil_scoped_release release;
    self.given.expect_unchanged();
    given_dev.expect_unchanged();
    const auto evaluated = dev ? graphs_for(self.model, "", dev->set) : self.dev;
    const GraphSet none(self.graphs->schema());
    fit(*self.trainer, evaluated == nullptr ? none : *evaluated, options, hooks);
    if (shown) shown->clear();
    self.given.expect_unchanged();
    given_dev.expect_unchanged();  // a callback or another thread may have changed the arrays
  }
  callbacks.raise_interrupt();
  return reports;
}

}  // namespace

void bind_fit(nb::class_<PyTrainer>& trainer) {
  trainer.def(
      "fit", &fit_epochs, "epochs"_a = 10, nb::kw_only(), "dev"_a = nb::none(), "save"_a = "", "save_every"_a = 0,
      "save_best"_a = "", "best_by"_a = "", "patience"_a = 0, "metric"_a = nb::none(), "metrics"_a = Metrics(),
      "lower_is_better"_a = std::vector<std::string>(), "on_epoch"_a = nb::none(), "on_step"_a = nb::none(),
      "every"_a = 1, "progress"_a = nb::none(),
      nb::sig("def fit(self, epochs: int = 10, *, dev: Graphs | None = None, "
              "save: str | os.PathLike[str] = \"\", save_every: int = 0, save_best: str | os.PathLike[str] = \"\", "
              "best_by: str = \"\", patience: int = 0, metric: str | None = None, "
              "metrics: Mapping[str, Callable[[dict[str, NDArray[numpy.float32]], Graphs], float]] = ..., "
              "lower_is_better: Sequence[str] = (), on_epoch: Callable[[EpochReport], object] | None = None, "
              "on_step: Callable[[TrainStep], object] | None = None, every: int = 1, progress: Any = None) -> "
              "list[EpochReport]"),
      "Trains until `epochs` epochs are done in total, with an evaluation and a checkpoint after each epoch.\n\n"
      "dev: graphs to evaluate on; None uses the development data of the data set.\n"
      "save: path of the checkpoint that is written after each epoch.\n"
      "save_every: also saves after every so many steps; 0 saves only after epochs.\n"
      "save_best: path of a checkpoint of the best epoch.\n"
      "best_by: what \"best\" means: \"loss\", a number of `metric` or the name of one of `metrics`.\n"
      "patience: training ends after so many epochs without a better one; 0 never ends it early.\n"
      "metric: \"accuracy\", \"perplexity\", \"f1\" or \"correlation\"; None is accuracy, if it can be computed.\n"
      "metrics: name -> function(predictions, dev) that returns a number, called after each epoch with predict(dev).\n"
      "lower_is_better: names of the metrics for which lower is better.\n"
      "on_epoch: called with an EpochReport after each epoch; returning True ends training.\n"
      "on_step: called with a TrainStep every `every` steps; returning True ends training.\n"
      "progress: an object with line(text) and draw(text), or draw = None, that shows the progress; None shows "
      "none.\n\n"
      "Ctrl-C ends training after the current step, saves a checkpoint if `save` is given, and raises "
      "KeyboardInterrupt.\n\n"
      "Raises Error for wrong options and unwritable paths before the first step, and for a loss or gradient that is "
      "not finite. Exceptions of callbacks, metrics and generators are passed on.");
}

}  // namespace cavs::python
