// Every model of the zoo through the interpreter of PTX, for two architectures, and waits of some scripts removed in
// turn. scripts/cuda.sh runs it: it takes minutes.

#include "cuda/ptx/mutants.h"
#include "cuda/ptx/zoo.h"

namespace cavs::cuda::ptx {
namespace {

class PtxSweep : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PtxSweep, testing::ValuesIn(all_zoo_names()), zoo_test_name);

TEST_P(PtxSweep, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(6), 0.2), {"compute_80", "compute_90"});
}

TEST_P(PtxSweep, TrainsInBf16) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(2)), {"compute_80", "compute_90"}, Precision::kBf16);
}

TEST_P(PtxSweep, ReadsWeightsThatHaveNoRegister) {
  CAVS_NEEDS_NVRTC();
  const StepCase of = in_places(make(fewer(3)), 17, 0);
  expect_right_numbers(of, {"compute_90"}, gpu_target("a GPU", 3, of.kernel.warps, 17));
}

/// What all processors do together; see tests/cuda/step_case.h.
TEST(PtxSweepOfMeetings, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  for (const StepCase& of : {wide_softmax(4), gradients_of_tasks(4)})
    for (const Precision precision : {Precision::kFp32, Precision::kBf16})
      expect_right_numbers(of, {"compute_80", "compute_90"}, precision);
}

class MutantsOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, MutantsOfModel, testing::Values("tree-lstm", "tree-lstm-binary", "bilstm", "lstm-nmt"),
                         zoo_test_name);

TEST_P(MutantsOfModel, WithoutAWaitAreReported) {
  CAVS_NEEDS_NVRTC();
  EXPECT_GT(MutantsInPtx(make(1)).mutants().expect_waits_are_needed(60), 0);
}

}  // namespace
}  // namespace cavs::cuda::ptx
