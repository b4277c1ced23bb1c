// Engine `reference`: the float64 interpreter as an Engine.

#include <map>

#include "compile/plain_functions.h"
#include "execute/reference/interpreter.h"
#include "execute/update.h"

namespace cavs::inline v0_1 {
namespace {

class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const EngineContext& context)
      : functions_(plain_functions(*context.program)),
        updater_(context.parameters),
        parameters_(context.parameters),
        options_(context.options) {}

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override { return options_.precision; }
  UpdateResult update(EngineRun&, const UpdateRequest& request) override { return updater_.update(request); }

  reference::Interpreter interpreter(const PreparedBatch& batch) const {
    using reference::Rounding;
    return {functions_,
            *parameters_,
            batch.minibatch,
            {.seed = options_.seed,
             .epoch = batch.dropout_epoch,
             .rounding = options_.precision == Precision::kBf16   ? Rounding::kBf16
                         : options_.precision == Precision::kTf32 ? Rounding::kTf32
                                                                  : Rounding::kNone,
             .pulls = batch.inputs.pulls}};
  }

 private:
  std::vector<Function> functions_;
  HostUpdater updater_;
  std::shared_ptr<Parameters> parameters_;
  const SessionOptions& options_;
};

class ReferenceRun final : public EngineRun {
 public:
  explicit ReferenceRun(const ReferenceEngine& engine) : engine_(engine) {}

  // Every batch fits: memory is allocated as needed, which is too slow for training.
  bool fits(const PreparedBatch&) const override { return true; }
  std::int64_t bytes(const PreparedBatch&) const override { return 0; }
  std::int64_t held_bytes() const override { return 0; }
  void reserve(const PreparedBatch&) override {}

  void forward(const PreparedBatch& batch, float loss_gradient) override {
    interpreter_ = std::make_unique<reference::Interpreter>(engine_.interpreter(batch));
    interpreter_->forward(loss_gradient);
  }
  double loss_sum(const PreparedBatch&) const override { return interpreter_->loss_sum(); }
  void backward(const PreparedBatch&, Gradients& gradients, std::span<const Run::PushGradient> pushes, bool) override {
    gradients.deferred.assign(gradients.size(), 0);
    gradients.deferred_by = 0;
    interpreter_->backward(gradients, pushes);
  }

  void rows(const PreparedBatch&, PortKind kind, const std::string& port, std::span<const std::int32_t> vertices,
            std::span<const float*> rows) override {
    std::map<std::int32_t, std::vector<float>>& values = values_[{kind, port}];
    for (std::size_t k = 0; k < vertices.size(); ++k) {
      const std::vector<double>* const row = interpreter_->row(kind, port, vertices[k]);
      if (row != nullptr) values[vertices[k]].assign(row->begin(), row->end());
      rows[k] = row == nullptr ? nullptr : values[vertices[k]].data();
    }
  }

  void release() override {
    interpreter_.reset();
    values_.clear();
  }

 private:
  const ReferenceEngine& engine_;
  std::unique_ptr<reference::Interpreter> interpreter_;
  std::map<std::pair<PortKind, std::string>, std::map<std::int32_t, std::vector<float>>> values_;  // by port and vertex
};

std::unique_ptr<EngineRun> ReferenceEngine::make_run() { return std::make_unique<ReferenceRun>(*this); }

}  // namespace

extern const EngineDef kReferenceOnCpu;
const EngineDef kReferenceOnCpu{
    .doc = "one vertex at a time, plain loops, float64",
    .target = [](const Target& compiled) { return compiled; },  // it evaluates the declared functions
    .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
      return std::make_unique<ReferenceEngine>(context);
    }};

}  // namespace cavs::inline v0_1
