// Forwards to engine `reference`, and counts its runs.

#include "execute/engine.h"

namespace cavs {

extern const EngineDef kReferenceEngine;
int stub_runs = 0;

namespace {

class StubEngine final : public Engine {
 public:
  explicit StubEngine(const EngineContext& context) : reference_(kReferenceEngine.make(context)) {}

  std::unique_ptr<EngineRun> make_run() override { return ++stub_runs, reference_->make_run(); }
  Precision precision() const override { return reference_->precision(); }
  bool reads_kept_states() const override { return reference_->reads_kept_states(); }
  ParameterRows* begin_update(EngineRun* run) override { return reference_->begin_update(run); }
  void end_update() override { reference_->end_update(); }

 private:
  std::unique_ptr<Engine> reference_;
};

}  // namespace

extern const EngineDef kStubEngine;
const EngineDef kStubEngine{
    "stub", "forwards to reference",
    [](const EngineContext& context) -> std::unique_ptr<Engine> { return std::make_unique<StubEngine>(context); }};

}  // namespace cavs
