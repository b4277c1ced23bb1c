// Registers, stack, spills and weight loads of the persistent kernel for all models, and at the largest sizes that the
// placement keeps on chip. Prints the table of docs/measurements/cuda.md.

#include "cuda/ptx/resources.h"
#include "helpers/zoo_test.h"

namespace cavs::cuda::ptx {
namespace {

struct Size {
  std::string model;
  std::int32_t hidden;
};

void PrintTo(const Size& size, std::ostream* out) { *out << size.model << " " << size.hidden; }

std::vector<Size> sizes() {
  std::vector<Size> all;
  for (const std::string& name : model_names()) all.push_back({name, 128});
  for (const std::int32_t hidden : {256, 512, 768, 1024}) {
    all.push_back({"tree-lstm", hidden});
    if (hidden <= 768) all.push_back({"tree-lstm-binary", hidden});
    all.push_back({"fixed-lstm", hidden});
  }
  return all;
}

class ResourcesOfModel : public testing::TestWithParam<Size> {};
INSTANTIATE_TEST_SUITE_P(Zoo, ResourcesOfModel, testing::ValuesIn(sizes()), [](const auto& of) {
  std::string name = of.param.model + "_" + std::to_string(of.param.hidden);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST_P(ResourcesOfModel, FitWithoutStackAndSpills) {
  CAVS_NEEDS_NVRTC();
  const Model model = find_model(GetParam().model)
                          .make({.vocabulary = 1000,
                                 .embedding = GetParam().hidden,
                                 .hidden = GetParam().hidden,
                                 .classes = 5,
                                 .seed = 3});
  for (const char* architecture : {"sm_80", "sm_90"}) {
    SCOPED_TRACE(architecture);
    const Resources r = resources_of(model, architecture);
    expect_fits(r);
    const std::string sass = disassembled(r.cubin);
    const std::string loads = sass.empty() ? "-" : std::to_string(count_of(sass, "LDG"));
    if (!sass.empty()) {
      EXPECT_GE(count_of(sass, "LDG"), r.weights);
      EXPECT_EQ(count_of(sass, "LDL") + count_of(sass, "STL"), 0);
    }
    std::printf("| %s | %d | %s | %d | %d | %d | %d | %s | %.3f | %.2f |\n", GetParam().model.c_str(),
                GetParam().hidden, architecture, r.weights, r.registers, r.stack, r.spills, loads.c_str(),
                r.generate_seconds, r.nvrtc_seconds);
  }
}

TEST(Sass, IsRead) {
  if (disassembled("").empty() && std::system("nvdisasm --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no nvdisasm in $CUDA_HOME/bin, /usr/local/cuda/bin or the PATH, so weight loads are not counted; "
                    "install the CUDA toolkit, or PyPI's nvidia-cuda-nvdisasm";
  EXPECT_EQ(count_of("  LDG.E R1; @P0 LDG.E.CONSTANT R2; LDL.64 R3;", "LDG"), 2);
}

}  // namespace
}  // namespace cavs::cuda::ptx
