#include "execute/batched/batched_engine.h"

#include "backend/cpu/target.h"
#include "execute/batched/batched_run.h"

namespace cavs {
namespace {

/// bf16 where it is asked for and can run; else fp32, which Session::precision tells.
cpu::Precision precision_of(const SessionOptions& options) {
  const bool bf16 = options.precision == Precision::kBf16 && !cpu::bf16_instruction_set().empty();
  return bf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

/// Streaming needs two workers, and (unless it is asked for) a processor for each.
Streaming streaming_of(const SessionOptions& options, const Team& team) {
  if (team.size() == 1) return Streaming::kOff;
  return options.streaming == Streaming::kAuto && team.is_crowded() ? Streaming::kOff : options.streaming;
}

std::shared_ptr<PackedWeights> weights_of(const EngineContext& context) {
  if (context.sharing != nullptr)
    return static_cast<const BatchedEngine*>(context.sharing)->weights();  // of the same kind: see EngineContext
  return std::make_shared<PackedWeights>(*context.program, precision_of(context.options));
}

}  // namespace

BatchedEngine::BatchedEngine(const EngineContext& context)
    : program_(context.program),
      precision_(precision_of(context.options)),
      planner_(*program_, streaming_of(context.options, context.team), context.team.size()),
      executor_(context.program, context.parameters, context.team, context.options, precision_, weights_of(context)),
      updater_(*program_, context.parameters, executor_, context.team.size()),
      profile_(context.options.profile) {}

std::unique_ptr<EngineRun> BatchedEngine::make_run() { return std::make_unique<BatchedRun>(*this); }

Precision BatchedEngine::precision() const {
  return precision_ == cpu::Precision::kBf16 ? Precision::kBf16 : Precision::kFp32;
}

ParameterRows* BatchedEngine::begin_update(EngineRun* run) {
  updater_.begin(run == nullptr ? nullptr : &static_cast<BatchedRun*>(run)->execution());
  return &updater_;
}

extern const EngineDef kBatchedOnCpu;
const EngineDef kBatchedOnCpu{.doc = "the team shares every instruction of a step",
                              .target =
                                  [](const Target& compiled) {
                                    const bool runs = compiled.slice_columns == cpu::kTarget.slice_columns &&
                                                      compiled.sum_rows == cpu::kTarget.sum_rows &&
                                                      compiled.alignment % cpu::kTarget.alignment == 0;
                                    return runs ? compiled : cpu::kTarget;  // what the program fuses is its own affair
                                  },
                              .make = [](const EngineContext& context) -> std::unique_ptr<Engine> {
                                return std::make_unique<BatchedEngine>(context);
                              }};

}  // namespace cavs
