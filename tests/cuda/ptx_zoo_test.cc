// The persistent kernel as NVRTC compiles it, interpreted. All models: tests/cuda/sweep.

#include "cuda/ptx/mutants.h"
#include "cuda/ptx/zoo.h"

namespace cavs::cuda::ptx {
namespace {

class PtxOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, PtxOfModel, testing::Values("tree-lstm-binary", "bilstm", "mv-rnn"), zoo_test_name);

TEST_P(PtxOfModel, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(make(fewer(2), 0.2), {"compute_80"}, true);
}

TEST(PtxOfWideSoftmax, TrainsWithTheNumbersOfTheReference) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(wide_softmax(2), {"compute_90"}, true);
}

TEST(PtxOfBf16, TrainsAsOnFibers) {
  CAVS_NEEDS_NVRTC();
  expect_right_numbers(zoo_case("tree-lstm-binary", 2), {"compute_90"}, true, Precision::kBf16);
}

TEST(PtxOfScripts, AWaitThatIsRemovedIsReported) {
  CAVS_NEEDS_NVRTC();
  MutableKernel kernel(zoo_case("tree-lstm", 2));
  // A wait in so many: the whole list is in tests/cuda/sweep.
  kernel.expect_waits_are_needed(kSanitized ? 16 : 4);
}

TEST(PtxOfScripts, AMeetingThatIsRemovedIsReported) {
  CAVS_NEEDS_NVRTC();
  MutableKernel(zoo_case("tree-lstm", 2)).expect_meetings_are_needed();
  EXPECT_GT(MutableKernel(wide_softmax(2)).expect_meetings_are_needed(), 0);
  EXPECT_GT(MutableKernel(gradients_of_tasks(1)).expect_meetings_are_needed(), 0);
}

}  // namespace
}  // namespace cavs::cuda::ptx
