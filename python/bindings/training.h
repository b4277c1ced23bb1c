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

/// A trained model and its checkpoint, which is kept so that saving the model loses nothing.
struct PyTrained {
  /// Number of threads, and name of a device.
  using Where = std::pair<int, std::string>;
  /// Sessions and predictors, cached between predictions.
  struct Forward {
    std::shared_ptr<const Program> program;
    std::map<Where, std::unique_ptr<Session>> sessions;
    std::map<Where, std::unique_ptr<Predictor>> predictors;  // of samples that are given as text
    std::optional<SampleOptions> reading;                    // how text is read

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

/// Makes the model of a checkpoint. @throws UserError as trained_model().
std::unique_ptr<PyTrained> make_trained(Checkpoint checkpoint);

/// Returns the outputs of the model by port: [vertices, width], in the order of the samples and their vertices.
nb::dict predict(PyTrained& self, const PyGraphs& graphs, int batch_size, int threads, const std::string& device);

/// Deletes a trainer without the GIL, since the destructor may wait for a step that waits for the GIL.
struct WithoutLock {
  template <typename T>
  void operator()(T* owned) const {
    const nb::gil_scoped_release release;
    delete owned;
  }
};

/// A step that Trainer::start began. The trainer is in use until a call has waited for the step.
struct PyPending {
  PendingStep step;
  std::shared_ptr<std::atomic<bool>> busy;
  std::shared_ptr<std::mutex> settling;  // held by a call while it waits for the step
  std::shared_ptr<std::atomic<bool>> open = std::make_shared<std::atomic<bool>>(true);

  /// Marks the trainer as idle, if that has not been done. The caller holds `settling`.
  void end() const {
    if (open->exchange(false)) *busy = false;
  }
};

struct PyTrainer {
  nb::object generator = {};  // as PyDataset::generator
  Model model;
  PyGraphs given = {}, given_dev = {};                    // the caller's graphs; `set` is null without graphs
  std::shared_ptr<const GraphSet> graphs = {}, dev = {};  // the graphs that the model evaluates; may be null
  std::shared_ptr<SampleStream> stream = {};
  std::unique_ptr<Trainer, WithoutLock> trainer = nullptr;
  std::shared_ptr<std::atomic<bool>> busy = std::make_shared<std::atomic<bool>>(false);
  std::optional<PyPending> pending = std::nullopt;
  std::shared_ptr<std::mutex> settling = std::make_shared<std::mutex>();
};

/// Reserves a trainer for one call, after waiting for the step that start() began. @throws the error of that step,
/// unless wait() has thrown it; UserError if another call uses the trainer.
class InUse {
 public:
  explicit InUse(PyTrainer& trainer);
  ~InUse() {
    if (!kept_) busy_ = false;
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  /// Keeps the trainer reserved, since a step continues after the call.
  void keep() { kept_ = true; }

 private:
  std::atomic<bool>& busy_;
  bool kept_ = false;
};

/// Returns the metric of this name; nullopt if `name` is empty. @throws UserError for an unknown name.
std::optional<Metric> metric_named(const std::optional<std::string>& name);

class Keywords;
/// Returns the keyword argument `job`; null to train alone. @throws UserError if `job` is not given although a launcher
/// has started several processes.
std::shared_ptr<Job> job_from(Keywords& keywords);
void bind_job(nb::module_& m);

/// Returns the options that the keyword arguments of Trainer give. @throws nb::type_error naming an argument that does
/// not fit.
TrainOptions train_options(nb::kwargs given);

/// Returns the engine of this name; nullopt, for the default engine of the device, without a name.
std::optional<EngineKind> engine_named(const std::optional<std::string>& name);

void bind_reports(nb::module_& m);
/// Binds Trainer.fit.
void bind_fit(nb::class_<PyTrainer>& trainer);

}  // namespace cavs::python
