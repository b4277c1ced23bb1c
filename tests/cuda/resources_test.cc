// What the persistent kernel takes of a GPU, as ptxas says. All models and sizes: tests/cuda/sweep.

#include "cuda/ptx/resources.h"

#include "helpers/models.h"

namespace cavs::cuda::ptx {
namespace {

TEST(Resources, AKernelWithoutStackAndSpills) {
  CAVS_NEEDS_NVRTC();
  const Resources r = resources_of(small_model("tree-lstm", 0, 128), "sm_90");
  EXPECT_GT(r.weights, 0);
  expect_fits(r);
}

}  // namespace
}  // namespace cavs::cuda::ptx
