// Engine `reference`: the plain interpreter behind the interface of all engines.

#include <map>

#include "backend/cpu/bf16.h"
#include "execute/engine.h"
#include "execute/reference/interpreter.h"

namespace cavs {
namespace {

class ReferenceEngine final : public Engine {
 public:
  explicit ReferenceEngine(const EngineContext& context)
      : program_(context.program), parameters_(context.parameters), seed_(context.options.seed) {
    if (context.options.precision == Precision::kBf16 && !cpu::bf16_instruction_set().empty())
      precision_ = Precision::kBf16;  // as the batched engine, which it is compared with
  }

  std::unique_ptr<EngineRun> make_run() override;
  Precision precision() const override { return precision_; }
  bool reads_kept_states() const override { return false; }
  ParameterRows* begin_update(EngineRun*) override { return nullptr; }
  void end_update() override {}

  Interpreter interpreter(const PreparedBatch& batch) const {
    return {*program_, *parameters_,        batch.minibatch,
            seed_,     batch.dropout_epoch, precision_ == Precision::kBf16 ? Rounding::kBf16 : Rounding::kNone};
  }
  const Program& program() const { return *program_; }

 private:
  std::shared_ptr<const Program> program_;
  std::shared_ptr<Parameters> parameters_;
  std::uint64_t seed_;
  Precision precision_ = Precision::kFp32;
};

class ReferenceRun final : public EngineRun {
 public:
  explicit ReferenceRun(const ReferenceEngine& engine) : engine_(engine) {}

  // Takes memory as it goes; nobody trains with it.
  bool fits(const PreparedBatch&) const override { return true; }
  std::int64_t bytes(const PreparedBatch&) const override { return 0; }
  std::int64_t held_bytes() const override { return 0; }
  void reserve(const PreparedBatch&) override {}

  void forward(const PreparedBatch& batch, float loss_gradient) override {
    interpreter_ = std::make_unique<Interpreter>(engine_.interpreter(batch));
    interpreter_->forward(loss_gradient);
  }
  double loss_sum(const PreparedBatch&) const override { return interpreter_->loss_sum(); }
  void backward(const PreparedBatch&, Gradients& gradients, std::span<const Run::PushGradient> pushes, bool) override {
    gradients.deferred.assign(gradients.values.size(), 0), gradients.deferred_by = 0;
    interpreter_->backward(gradients, pushes);
  }

  void rows(const PreparedBatch& batch, PortKind kind, const std::string& port, std::span<const float*> rows) override {
    std::vector<const Output*> outputs;
    std::int64_t width = 0;
    for (const TypeProgram& type : engine_.program().types) {
      outputs.push_back(find_output(type.*outputs_of(kind), port));
      if (outputs.back() != nullptr) width = outputs.back()->operand.width;
    }
    std::vector<float>& values = values_[{kind, port}];
    values.assign(rows.size() * width, 0);
    interpreter_->rows(kind, port, values);
    for (std::size_t v = 0; v < rows.size(); ++v)
      rows[v] = outputs[batch.minibatch.types[v]] == nullptr ? nullptr : values.data() + v * width;
  }

  std::string find_not_finite(const PreparedBatch&) const override { return ""; }
  void count(const PreparedBatch&, RunStatistics&) const override {}
  void release() override { interpreter_.reset(), values_.clear(); }

 private:
  const ReferenceEngine& engine_;
  std::unique_ptr<Interpreter> interpreter_;
  std::map<std::pair<PortKind, std::string>, std::vector<float>> values_;
};

std::unique_ptr<EngineRun> ReferenceEngine::make_run() { return std::make_unique<ReferenceRun>(*this); }

}  // namespace

extern const EngineDef kReferenceEngine;
const EngineDef kReferenceEngine{
    "reference", "one vertex at a time, plain loops, float64",
    [](const EngineContext& context) -> std::unique_ptr<Engine> { return std::make_unique<ReferenceEngine>(context); }};

}  // namespace cavs
