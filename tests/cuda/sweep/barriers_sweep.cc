// Removes each barrier of the kernels' text in turn, on fibers and in the PTX interpreter. Some case must report it.
// Also removes the waits of every model's script, on fibers.

#include <gtest/gtest.h>

#include <map>

#include "cuda/batched_step.h"
#include "cuda/fibers/mutants.h"
#include "cuda/ptx/fault.h"
#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/step_on_ptx.h"
#include "cuda/removed_barriers.h"
#include "cuda/word_search.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda {
namespace {

PackedCase lookup_alone() {
  PackedCase alone(zoo_case("tree-lstm", 2), few_processors(2), sgd());
  alone.packed = lookup_gradient_alone(std::move(alone.packed));
  return alone;
}

bool fibers_report(const PackedCase& of, const KernelSource& source) {
  std::vector<std::string> faults;
  KernelOnFibers(of.step, source).run(of.packed, *of.parameters, of.options, faults);
  return !faults.empty();
}

bool ptx_reports(const PackedCase& of, const KernelSource& source) {
  try {
    ptx::KernelInPtx(source, "compute_90").run(of.step, of.packed, *of.parameters, of.options);
    return false;
  } catch (const ptx::Fault&) {
    return true;
  }
}

/// All barriers, and which of them some case needs.
class Barriers {
 public:
  /// @param of_others  folder of files that the text does not include
  explicit Barriers(std::string of_others) : of_others_(std::move(of_others)) {}

  /// Tries barriers that no case has needed yet with each case, because no case has all operations.
  /// @param known  only tries barriers that earlier cases have
  template <typename Case>
  void try_cases(const std::vector<Case>& cases, bool (*reports)(const Case&, const KernelSource&),
                 bool known = false) {
    for (const Case& one : cases) {
      ASSERT_FALSE(reports(one, one.step.source())) << one.of.zoo.name;
      for (const TextMutant& mutant : without_each_barrier(one.step.source(), of_others_)) {
        if (known && !reported_.contains(mutant.what)) continue;
        if (bool& found = reported_[mutant.what]; !found) found = reports(one, mutant.source);
      }
    }
  }
  void expect_each_is_reported() const {
    for (const auto& [what, found] : reported_) EXPECT_TRUE(found) << "no case reports the absence of\n" << what;
  }

 private:
  const std::string of_others_;
  std::map<std::string, bool> reported_;
};

std::vector<StepCase> steps() {
  std::vector<StepCase> steps;
  for (const char* model : {"tree-lstm", "lstm-nmt", "bilstm-crf"}) steps.emplace_back(zoo_case(model, 2, 0.2));
  for (const StepCase& of : {wide_softmax(2), gradients_of_tasks(2), half_in_registers(2), many_squares(4),
                             in_bf16(zoo_case("tree-lstm-binary", 2))})
    steps.push_back(of);
  return steps;
}

std::vector<PackedCase> persistent_cases() {
  std::vector<PackedCase> cases;
  for (const StepCase& of : steps()) cases.emplace_back(of, few_processors(2), sgd());
  cases.push_back(lookup_alone());
  return cases;
}

TEST(BarriersOfText, FibersReportEachMissingBarrier) {
  Barriers barriers("/batched/");
  barriers.try_cases(persistent_cases(), fibers_report);
  barriers.expect_each_is_reported();
}

TEST(BarriersOfText, ThePtxInterpreterReportsEachMissingBarrier) {
  CAVS_NEEDS_NVRTC();
  Barriers barriers("/batched/");
  barriers.try_cases(persistent_cases(), ptx_reports);
  barriers.expect_each_is_reported();
}

struct BatchedCase {
  StepCase of;
  BatchedStep step;
  std::shared_ptr<Parameters> parameters;
  PackedStep packed;

  explicit BatchedCase(const StepCase& which)
      : of(which),
        step(of),
        parameters(of.zoo.model.make_parameters()),
        packed(step.pack(of.zoo.graphs, all_samples(of.zoo.graphs), sgd())) {}
};

bool launches_report(const BatchedCase& of, const KernelSource& source) {
  try {
    LaunchesOnFibers(of.step, source).run(of.packed, *of.parameters, sgd(), 2);
    return false;
  } catch (const std::runtime_error&) {
    return true;
  }
}

/// Runs the search for the most probable words of a decoder.
bool search_reports(const BatchedCase&, const KernelSource& source) {
  const CompiledModule module(source);
  const auto search = module.find<void (*)(Launch)>("cavs_best_words");
  WordSearchCase words(700, 5);
  const Launch launch = words.launch();
  return !launch_on_fibers(2, kTileThreads, 1, words.memory(), [&] { search(launch); }).empty();
}

/// Barriers in text that is shared with the persistent kernel may be needed only there.
TEST(BarriersOfBatchedText, FibersReportEachMissingBarrier) {
  Barriers barriers("/persistent/");
  std::vector<BatchedCase> cases, decoders;
  for (const StepCase& of : steps()) cases.emplace_back(of);
  decoders.emplace_back(StepCase(zoo_case("var-lstm", 1), {.training = false}));
  barriers.try_cases(cases, launches_report);
  barriers.try_cases(decoders, search_reports);
  barriers.try_cases(persistent_cases(), fibers_report, true);
  barriers.expect_each_is_reported();
}

/// All waits of a script.
constexpr std::int32_t kEvery = 1 << 30;

class ScriptOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ScriptOfModel, testing::ValuesIn(all_zoo_names()), zoo_test_name);

TEST_P(ScriptOfModel, AMissingWaitIsReported) {
  const StepCase of = make(8, 0.2);
  EXPECT_GT(MutantsOnFibers(of, smallest_samples(of.zoo.graphs, 1)).mutants().expect_waits_are_needed(kEvery), 0);
}

}  // namespace
}  // namespace cavs::cuda
