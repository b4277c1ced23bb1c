#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "cavs/checkpoint.h"
#include "cavs/fit.h"
#include "cavs/session.h"
#include "cavs/trained_model.h"
#include "cavs/trainer.h"

namespace cavs::python {

/// A model of a checkpoint, and the checkpoint, so that it is saved with all that it had.
struct PyTrained {
  /// A number of threads, and a device's name.
  using Where = std::pair<int, std::string>;
  /// Programs that predict; kept from one prediction to the next.
  struct Forward {
    std::shared_ptr<const Program> program;
    std::map<Where, std::unique_ptr<Session>> sessions;
    std::map<Where, std::unique_ptr<Predictor>> predictors;  // of samples as text
    std::optional<SampleOptions> reading;                    // of text

    Forward() = default;
    Forward(Forward&&) = default;
    Forward& operator=(Forward&&) = default;
  };
  Checkpoint checkpoint = {};
  TrainedModel trained;
  Forward forward = {};
  PyParameters parameters = {};

  std::atomic<bool>& busy() const { return *parameters.busy; }
};

/// @throws UserError as trained_model().
std::unique_ptr<PyTrained> make_trained(Checkpoint checkpoint);

/// What the model pushes: port -> [vertices, width], in the order of the samples and their vertices.
nb::dict predict(PyTrained& self, const PyGraphs& graphs, int batch_size, int threads, const std::string& device);

/// The end of a trainer may wait for a step that waits for Python's lock.
struct WithoutLock {
  template <typename T>
  void operator()(T* owned) const {
    const nb::gil_scoped_release release;
    delete owned;
  }
};

/// A step that Trainer::start began, for which the trainer is in use until somebody has waited.
struct PyPending {
  PendingStep step;
  std::shared_ptr<std::atomic<bool>> busy;
  std::shared_ptr<std::mutex> settling;  // held by who finds out about the end of the step
  std::shared_ptr<std::atomic<bool>> open = std::make_shared<std::atomic<bool>>(true);

  /// Lets go of the trainer, once. `settling` is held.
  void end() const {
    if (open->exchange(false)) *busy = false;
  }
};

struct PyTrainer {
  nb::object generator = {};  // as PyDataset's
  Model model;
  PyGraphs given = {}, given_dev = {};                    // as the caller gave them; `set` is null where there are none
  std::shared_ptr<const GraphSet> graphs = {}, dev = {};  // as the model evaluates them; either may be null
  std::shared_ptr<SampleStream> stream = {};
  std::unique_ptr<Trainer, WithoutLock> trainer = nullptr;
  std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);
  std::optional<PyPending> pending = std::nullopt;
  std::shared_ptr<std::mutex> settling = std::make_shared<std::mutex>();
};

/// Use of a trainer: first the step that start() began is waited for. @throws what ended that step, unless wait() has
/// told; UserError where another call is at work.
class InUse {
 public:
  explicit InUse(PyTrainer& trainer);
  ~InUse() {
    if (!kept_) busy_ = false;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  /// A step goes on after the call.
  void keep() { kept_ = true; }

 private:
  std::atomic<bool>& busy_;
  bool kept_ = false;
};

/// Accuracy where none is named and it can be computed. @throws UserError for a name that is none.
std::optional<Metric> metric_named(const std::optional<std::string>& name);

class Keywords;
/// The keyword argument `job`; null: this process alone. @throws UserError where a launcher has started several
/// processes and it is not given.
std::shared_ptr<Job> job_from(Keywords& keywords);
void bind_job(nb::module_& m);

/// The keyword arguments of Trainer. @throws nb::type_error naming one that does not fit.
TrainOptions train_options(nb::kwargs given);

/// None: the first of the device.
std::optional<EngineKind> engine_named(const std::optional<std::string>& name);

void bind_reports(nb::module_& m);
/// Trainer.fit.
void bind_fit(nb::class_<PyTrainer>& trainer);

}  // namespace cavs::python
