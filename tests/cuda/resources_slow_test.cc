// What the persistent kernel takes of a GPU, as ptxas says, and its machine code. All models and sizes:
// tests/cuda/sweep.

#include <gtest/gtest.h>

#include "cuda/ptx/nvrtc.h"
#include "cuda/ptx/resources.h"
#include "cuda/ptx/sass.h"
#include "helpers/models.h"

namespace cavs::cuda::ptx {
namespace {

class ResourcesOf : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, ResourcesOf, testing::Values("tree-lstm", "tree-lstm-binary", "var-lstm"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(ResourcesOf, AreAsPlacementPredicts) {
  CAVS_NEEDS_NVRTC();
  const Resources r = resources_of(small_model(GetParam(), 0, 128), "sm_90");
  EXPECT_TRUE(r.fits);
  EXPECT_GT(r.weights, 0);
  expect_fits(r);
  if (!missing_nvdisasm().empty()) GTEST_SKIP() << missing_nvdisasm();
  const std::vector<SassInstruction> code = disassemble(r.cubin);
  EXPECT_EQ(weight_loads(code), r.weights);
  EXPECT_EQ(count(code).local, 0);
}

TEST(Resources, AKernelThatSpillsIsThrownAway) {
  CAVS_NEEDS_NVRTC();
  const Resources r = lean_resources_of(small_model("var-lstm", 0, 512), "sm_90", {.weight_registers = 400});
  EXPECT_TRUE(r.is_lean());
  EXPECT_GT(r.weights, 0);
}

}  // namespace
}  // namespace cavs::cuda::ptx
