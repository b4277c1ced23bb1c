// The persistent kernel as NVRTC compiles it, interpreted. All models: tests/cuda/sweep.

#include "cuda/ptx/mutants.h"
#include "cuda/ptx/zoo.h"

namespace cavs::cuda::ptx {
namespace {

class PtxOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PtxOfModel, testing::Values("tree-lstm-binary", "bilstm", "mv-rnn"), zoo_test_name);

TEST_P(PtxOfModel, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(2), 0.2), {"compute_80"});
}

TEST(PtxOfWideSoftmax, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(wide_softmax(2), {"compute_90"});
}

TEST(PtxOfBf16, TrainsAsOnFibers) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(zoo_case("tree-lstm-binary", 2), {"compute_90"}, Precision::kBf16);
}

/// Some weights in registers, some in shared memory, the rest in the L2.
TEST(PtxOfPlaces, TrainAsOnFibers) {
  CAVS_NEEDS_NVRTC();
  const StepCase of = in_places(zoo_case("tree-lstm-binary", 2), 17, 21);
  const OnChipTarget gpu = gpu_target("a GPU", 3, of.kernel.warps, 17, 21);
  EXPECT_GT(of.step(gpu).shared_bytes(), 0);
  for (const Precision precision : {Precision::kFp32, Precision::kBf16})
    expect_right_numbers(of, {"compute_80", "compute_90"}, gpu, precision);
}

TEST(PtxOfScripts, AWaitThatIsRemovedIsReported) {
  CAVS_NEEDS_NVRTC();
  const MutantsInPtx kernel(zoo_case("tree-lstm", 2));
  // A wait in so many: the whole list is in tests/cuda/sweep.
  EXPECT_GT(kernel.mutants().expect_waits_are_needed(kSanitized ? 4 : 16), 0);
}

TEST(PtxOfScripts, AMeetingThatIsRemovedIsReported) {
  CAVS_NEEDS_NVRTC();
  MutantsInPtx(zoo_case("tree-lstm", 2)).expect_first_meeting_changes_nothing_unseen();
  EXPECT_GT(MutantsInPtx(wide_softmax(1, 256)).mutants().expect_meetings_are_needed(), 0);
  EXPECT_GT(MutantsInPtx(gradients_of_tasks(1)).mutants().expect_meetings_are_needed(), 0);
}

}  // namespace
}  // namespace cavs::cuda::ptx
