// An engine for an imaginary device. It forwards to engine `reference` and counts its runs. It has its own block sizes,
// and rejects programs that were compiled for others.

#include "execute/engine.h"

namespace cavs::inline v0_1 {

extern const EngineDef kReferenceOnCpu;
int beads_runs = 0;

namespace {

constexpr Target kAbacus{.slice_columns = 10, .sum_rows = 100, .grouping = RowGrouping::kNone};

class BeadsEngine final : public Engine {
 public:
  explicit BeadsEngine(const EngineContext& context)
      : number_(context.options.device.index), reference_(kReferenceOnCpu.make(context)) {}

  std::unique_ptr<EngineRun> make_run() override {
    ++beads_runs;
    return reference_->make_run();
  }
  UpdateResult update(EngineRun& run, const UpdateRequest& request) override {
    return reference_->update(run, request);
  }
  Precision precision() const override { return Precision::kFp32; }
  std::vector<std::string> describe() const override { return {"abacus " + std::to_string(number_)}; }

 private:
  int number_;
  std::unique_ptr<Engine> reference_;
};

}  // namespace

extern const EngineDef kBeadsOnAbacus;
const EngineDef kBeadsOnAbacus{.doc = "forwards to reference",
                               .target = [](const Target&) { return kAbacus; },
                               .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
                                 return std::make_unique<BeadsEngine>(context);
                               }};

}  // namespace cavs::inline v0_1
