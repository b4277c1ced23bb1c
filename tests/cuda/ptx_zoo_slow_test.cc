// The persistent kernel as NVRTC compiles it, interpreted. All models take minutes; scripts/cuda.sh runs them.

#include "cuda/ptx/mutants.h"
#include "cuda/ptx/zoo.h"
#include "cuda/sweep/sweep.h"

namespace cavs::cuda::ptx {
namespace {

using Names = std::vector<std::string>;

const Names kArchitectures = kSweeps ? Names{"compute_80", "compute_90"} : Names{"compute_90"};

class PtxOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PtxOfModel,
                         testing::ValuesIn(kSweeps ? all_zoo_names() : Names{"tree-lstm-binary", "bilstm", "mv-rnn"}),
                         zoo_test_name);

TEST_P(PtxOfModel, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(kSweeps ? 6 : 2), 0.2), kArchitectures);
}

TEST_P(PtxOfModel, TrainsInBf16) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(2)), kArchitectures, Precision::kBf16);
}

TEST_P(PtxOfModel, ReadsWeightsWithoutRegisters) {
  CAVS_NEEDS_NVRTC();
  const StepCase of = in_places(make(fewer(kSweeps ? 3 : 2)), 17, 0);
  expect_right_numbers(of, {"compute_90"}, gpu_target("a GPU", 3, of.kernel.warps, 17));
}

/// Operators that all processors execute together (see tests/cuda/step_case.h).
TEST(PtxOfMeetings, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  const int samples = kSweeps ? 4 : 2;
  for (const StepCase& of : {wide_softmax(samples), gradients_of_tasks(samples)})
    for (const Precision precision : {Precision::kFp32, Precision::kBf16})
      expect_right_numbers(of, kArchitectures, precision);
}

/// Some weights in registers, some in shared memory, the rest in the L2 cache.
TEST(PtxOfPlaces, TrainWithTheBitsOfFibers) {
  CAVS_NEEDS_NVRTC();
  const StepCase of = in_places(zoo_case("tree-lstm-binary", 2), 17, 21);
  const OnChipTarget gpu = gpu_target("a GPU", 3, of.kernel.warps, 17, 21);
  EXPECT_GT(of.step(gpu).shared_bytes(), 0);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16})
    expect_right_numbers(of, {"compute_80", "compute_90"}, gpu, precision);
}

class PtxOfScripts : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PtxOfScripts,
                         testing::ValuesIn(kSweeps ? Names{"tree-lstm", "tree-lstm-binary", "bilstm", "lstm-nmt"}
                                                   : Names{"tree-lstm"}),
                         zoo_test_name);

/// Removes only some waits. barriers_sweep.cc removes all of them on fibers.
TEST_P(PtxOfScripts, AMissingWaitIsReported) {
  CAVS_NEEDS_NVRTC();
  const int most = kSweeps ? 60 : kSanitized ? 4 : 16;
  EXPECT_GT(MutantsInPtx(make(kSweeps ? 1 : 2)).mutants().expect_waits_are_needed(most), 0);
}

TEST(PtxOfMeetings, AMissingMeetingIsReported) {
  CAVS_NEEDS_NVRTC();
  MutantsInPtx(zoo_case("tree-lstm", 2)).expect_first_meeting_changes_nothing_unseen();
  EXPECT_GT(MutantsInPtx(wide_softmax(1, 256)).mutants().expect_meetings_are_needed(), 0);
  EXPECT_GT(MutantsInPtx(gradients_of_tasks(1)).mutants().expect_meetings_are_needed(), 0);
}

}  // namespace
}  // namespace cavs::cuda::ptx
