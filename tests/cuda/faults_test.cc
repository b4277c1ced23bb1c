// A persistent kernel that does not wait where it must is always reported: whichever wait is taken from its script,
// whichever barrier from its text.

#include <gmock/gmock.h>

#include "cuda/fibers/small_gpu.h"
#include "cuda/fibers/step_on_fibers.h"
#include "cuda/removed_barriers.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

using testing::IsEmpty;

/// The same script but for one of its waits.
Script without_wait(Script script, std::int32_t wait) {
  for (ScriptEntry& e : script.entries) {
    if (e.waits.begin <= wait && wait < e.waits.begin + e.waits.count) --e.waits.count;
    if (e.waits.begin > wait) --e.waits.begin;
  }
  script.waits.erase(script.waits.begin() + wait);
  return script;
}

StepOptions plain_step() {
  StepOptions options;
  options.optimizer = optimizer_defaults("sgd");
  return options;
}

/// A model on two processors of one warp.
struct SmallStep {
  ZooCase zoo;
  Bench bench;
  PersistentStep step;
  PackedStep packed;

  explicit SmallStep(const std::string& model)
      : zoo(zoo_case(model, 1)),
        bench(zoo.model, zoo.graphs),
        step(zoo.model, few_processors(2, true), KernelOptions{.warps = 1}),
        packed(step.pack(zoo.graphs, all_samples(zoo.graphs), plain_step())) {}

  std::vector<std::string> faults(const KernelOnFibers& kernel) const {
    std::vector<std::string> found;
    kernel.run(packed, *bench.parameters, plain_step(), found);
    return found;
  }
};

std::string describe(const SmallStep& small, const Script& script, std::int32_t wait) {
  const auto name = [&](const ScriptEntry& e) {
    std::string text = fmt::format("entry {} (work {}, share {})", &e - script.entries.data(), static_cast<int>(e.work),
                                   static_cast<int>(e.share));
    if (e.work != Work::kInstruction) return text;
    const Step& step = small.packed.plan.steps[e.step];
    const auto& code = small.step.program().types[step.type].at(step.backward, step.stage);
    return text + fmt::format(", {} of stage {}", name_of(code[e.instruction]), static_cast<int>(step.stage));
  };
  const auto waits = std::ranges::find_if(script.entries, [&](const ScriptEntry& e) {
    return e.waits.begin <= wait && wait < e.waits.begin + e.waits.count;
  });
  return fmt::format("wait {}: {} waits for {}", wait, name(*waits), name(script.entries[script.waits[wait].entry]));
}

/// The script does not know how the kernel shares sums by what is written. Of few numbers, some processors have none
/// and need not have waited.
bool shares_output(const Script& script, std::int32_t wait) {
  const auto waits = std::ranges::find_if(script.entries, [&](const ScriptEntry& e) {
    return e.waits.begin <= wait && wait < e.waits.begin + e.waits.count;
  });
  return waits->share == Share::kOutput || script.entries[script.waits[wait].entry].share == Share::kOutput;
}

TEST(MissingWait, IsReported) {
  SmallStep small("tree-lstm");
  const KernelOnFibers kernel(small.step);
  ASSERT_THAT(small.faults(kernel), IsEmpty());
  const Script script = small.packed.script;
  const auto waits = static_cast<std::int32_t>(script.waits.size());
  int reported = 0;
  for (std::int32_t k = 0; k < waits; ++k) {
    small.packed.script = without_wait(script, k);
    const bool is_needed =
        !find_faults(small.step.program(), small.step.placement(), small.packed.plan, small.packed.script).empty();
    small.step.pack_words(small.packed, 1, plain_step());
    const bool is_reported = !small.faults(kernel).empty();
    if (is_reported || !shares_output(script, k)) {
      EXPECT_EQ(is_reported, is_needed) << describe(small, script, k);
    }
    reported += is_reported ? 1 : 0;
  }
  EXPECT_GT(reported, waits / 3);
}

/// Three that every model needs; tests/cuda/sweep takes each in turn.
TEST(MissingBarrier, IsReported) {
  const SmallStep small("tree-lstm");
  const std::vector<TextMutant> mutants = without_each_barrier(small.step.source());
  for (const std::string_view place : {"gradients are there", "kShareOne", "  }\n  sync();"}) {
    const auto mutant =
        std::ranges::find_if(mutants, [&](const TextMutant& m) { return m.what.find(place) != std::string::npos; });
    ASSERT_NE(mutant, mutants.end()) << place;
    EXPECT_FALSE(small.faults(KernelOnFibers(small.step, mutant->source)).empty()) << mutant->what;
  }
}

}  // namespace
}  // namespace cavs::cuda
