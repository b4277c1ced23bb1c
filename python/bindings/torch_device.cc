// The private C++ part of `cavs.torch` for tensors on a GPU. It receives addresses and copies nothing.

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "cavs/device_passes.h"
#include "evaluated_model.h"
#include "support/check.h"
#include "torch_pass.h"

namespace cavs::python {

using namespace nb::literals;

namespace {

/// Evaluates a model on a GPU, with one program per mode.
class DeviceEvaluator {
 public:
  DeviceEvaluator(const Model& model, std::vector<std::string> outputs, SessionOptions options)
      : model_(model, std::move(outputs)), options_(std::move(options)) {
    options_.seed = model.seed();
  }

  const Program& program() {
    const std::scoped_lock lock(mutex_);
    return *model_.program({});
  }

  std::shared_ptr<DevicePasses> passes(Mode mode) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<DevicePasses>& made = passes_[mode];
    if (made == nullptr) {
      DevicePasses::Ports ports{.inputs = {}, .outputs = model_.pushes()};
      for (const EvaluatorPort& input : model_.inputs()) ports.inputs.push_back(input.name);
      made = std::make_shared<DevicePasses>(model_.program(mode), std::move(ports), options_);
    }
    return made;
  }

  /// Returns a plan for a batch. @param given  [inputs]: true if passes supply the input, false if the graphs have it
  DevicePlan plan(DevicePasses& passes, Mode mode, const PyBatch& batch, const std::vector<bool>& given) {
    std::unique_lock lock(mutex_);
    const auto network = model_.network(batch.graphs);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < given.size(); ++i)
      if (given[i]) names.push_back(model_.inputs()[i].name);
    const auto graphs = model_.bound(mode, batch.graphs, network.get(), std::move(names));
    lock.unlock();
    if (network == nullptr) return passes.plan(*graphs, batch.samples);
    return passes.plan(*graphs, batch.samples, network->rows(batch.samples), batch.vertices);
  }

 private:
  EvaluatedModel model_;
  SessionOptions options_;
  std::map<Mode, std::shared_ptr<DevicePasses>> passes_;
  std::mutex mutex_;
};

/// An open pass. It keeps alive everything that its backward pass reads.
struct DevicePass {
  nb::object kept;
  double token = 0;
};

/// A plan, and the passes that run it.
struct TorchPlan {
  std::shared_ptr<DevicePasses> passes;
  DevicePlan plan;
};

using Addresses = std::vector<DeviceAddress>;

DevicePasses::Memory memory_of(std::uintptr_t stream, DeviceAddress values, Addresses weights) {
  return {reinterpret_cast<void*>(stream), values, std::move(weights)};
}

std::vector<std::int64_t> table_rows(const TorchPlan& self, int parameter, std::int64_t without) {
  std::vector<std::int64_t> rows;
  std::ranges::copy_if(self.plan.table_rows(parameter), std::back_inserter(rows),
                       [&](std::int64_t row) { return row != without; });
  std::ranges::sort(rows);
  return rows;
}

}  // namespace

void bind_torch_device(nb::module_& m) {
  nb::class_<DevicePass>(m, "_DevicePass", nb::is_weak_referenceable())
      .def(
          "__init__", [](DevicePass* self, nb::object kept) { new (self) DevicePass{std::move(kept)}; }, "kept"_a)
      .def_ro("kept", &DevicePass::kept)
      .def("token", &token_of<DevicePass>, "number"_a,
           nb::sig("def token(self, number: int) -> NDArray[numpy.float64]"), kTokenDoc);
  nb::class_<TorchPlan>(m, "_DevicePlan")
      .def_prop_ro(
          "bytes", [](const TorchPlan& self) { return self.plan.bytes(); }, "Bytes of memory that a pass needs.")
      .def(
          "table_rows",
          [](const TorchPlan& self, int parameter, std::int64_t without) {
            auto rows = table_rows(self, parameter, without);
            const std::size_t count = rows.size();
            return to_numpy(std::move(rows), {count});
          },
          "parameter"_a, "without"_a,
          nb::sig("def table_rows(self, parameter: int, without: int) -> NDArray[numpy.int64]"),
          "The rows of a table that have a gradient, ascending.")
      .def(
          "forward",
          [](const TorchPlan& self, std::uintptr_t stream, DeviceAddress values, Addresses weights,
             const Addresses& inputs, const Addresses& outputs, std::uint32_t epoch) {
            const nb::gil_scoped_release release;
            self.passes->forward(self.plan, memory_of(stream, values, std::move(weights)), inputs, outputs, epoch);
          },
          "stream"_a, "values"_a, "weights"_a, "inputs"_a, "outputs"_a, "epoch"_a,
          "Launches a forward pass. Arguments are addresses of contiguous float32 rows on the GPU; `values` has "
          "`bytes` bytes.")
      .def(
          "backward",
          [](const TorchPlan& self, std::uintptr_t stream, DeviceAddress values, Addresses weights,
             const Addresses& outputs, DeviceAddress gradients, const Addresses& inputs) {
            const nb::gil_scoped_release release;
            self.passes->backward(self.plan, memory_of(stream, values, std::move(weights)), outputs, gradients, inputs);
          },
          "stream"_a, "values"_a, "weights"_a, "outputs"_a, "gradients"_a, "inputs"_a,
          "Launches the backward pass, which computes gradients of all parameters and inputs from gradients of "
          "outputs; 0 is a gradient that is not given or not wanted.");
  nb::class_<DeviceEvaluator>(m, "_DeviceEvaluator")
      .def(
          "__init__",
          [](DeviceEvaluator* self, const PyModel& model, std::vector<std::string> outputs, int index,
             const std::string& policy, const std::string& precision) {
            user_check(!model.declaring, "the model is being declared; make a module of it afterwards");
            new (self) DeviceEvaluator(model.model, std::move(outputs),
                                       {.device = {DeviceKind::kCuda, index},
                                        .policy = policy,
                                        .precision = option_named<Precision>(precision)});
          },
          "model"_a, "outputs"_a, "index"_a, "policy"_a, "precision"_a,
          nb::sig(
              "def __init__(self, model: Model, outputs: Sequence[str], index: int, policy: str, precision: str) -> "
              "None"))
      .def_prop_ro(
          "offsets", [](DeviceEvaluator& self) { return DevicePasses::gradient_offsets(self.program()); },
          "Offset, in numbers, of each parameter's gradient in the flat block, and the size of the block.")
      .def(
          "plan",
          [](DeviceEvaluator& self, const PyBatch& batch, int mode, const std::vector<bool>& given) {
            const nb::gil_scoped_release release;
            auto passes = self.passes(mode_of(mode));
            DevicePlan plan = self.plan(*passes, mode_of(mode), batch, given);
            return std::make_unique<TorchPlan>(TorchPlan{std::move(passes), std::move(plan)});
          },
          "batch"_a, "mode"_a, "given"_a,
          "Plans a batch on the host, without touching the GPU. mode: bits, as in _Evaluator.forward. given: for each "
          "input, True if passes supply it.");
}

}  // namespace cavs::python
