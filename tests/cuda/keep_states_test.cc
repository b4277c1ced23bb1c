// The kernel that copies states to where they are kept, on fibers.

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "cuda/batched_step.h"

namespace cavs::cuda {
namespace {

/// States of vertices, those of different widths apart, and where they are copied to.
struct States {
  static constexpr int kVertices = 23;
  std::vector<int> widths{1, 33, 70};
  std::vector<std::vector<float>> from, to;  // [states][vertices, width]
  std::vector<RowCopy> rows;
  std::vector<int> finite = std::vector<int>(kVertices, -1);

  States() {
    for (const int width : widths) {
      from.emplace_back(), to.emplace_back(static_cast<std::size_t>(kVertices * width), -1);
      for (int k = 0; k < kVertices * width; ++k) from.back().push_back(static_cast<float>(k) / 8);
    }
    from[1][4 * 33 + 32] = std::nanf(""), from[2][9 * 70] = -std::numeric_limits<float>::infinity();
    from[0][22] = std::numeric_limits<float>::max();
    for (int v = 0; v < kVertices; ++v)
      for (std::size_t s = 0; s < widths.size(); ++s) {
        const int width = widths[s], slot = (v * 7) % kVertices;
        rows.push_back({v == 5 ? nullptr : from[s].data() + v * width, to[s].data() + slot * width});
      }
  }
};

TEST(KeepStates, CopiesRowsAndTellsWhichHoldOnlyNumbers) {
  const ZooCase zoo = zoo_case("var-lstm", 1);
  StepCase inference(zoo, {.training = false});
  const BatchedStep step(inference);
  const CompiledModule module(step.source());
  const auto kernel = module.find<void (*)(Launch)>("cavs_keep_states");
  ASSERT_NE(kernel, nullptr);
  for (const int blocks : {1, 3, 5}) {
    States states;
    Pass pass{};
    pass.arguments.copies = {states.rows.data(), states.widths.data(), states.finite.data(), States::kVertices,
                             static_cast<int>(states.widths.size())};
    std::vector<LaunchBuffer> memory{{"pass", &pass, sizeof pass},
                                     {"rows", states.rows.data(), states.rows.size() * sizeof(RowCopy)},
                                     {"widths", states.widths.data(), states.widths.size() * sizeof(int)},
                                     {"finite", states.finite.data(), states.finite.size() * sizeof(int), false}};
    for (std::size_t s = 0; s < states.widths.size(); ++s) {
      memory.push_back({"from", states.from[s].data(), states.from[s].size() * sizeof(float)});
      memory.push_back({"to", states.to[s].data(), states.to[s].size() * sizeof(float), false});
    }
    EXPECT_THAT(
        launch_on_fibers(blocks, kernel_threads(PersistentStep::kSmallBlocks), static_cast<std::uint64_t>(blocks),
                         memory, [&] { kernel({.pass = &pass, .entry = 0, .tile = 0, .of_stretch = 0}); }),
        testing::IsEmpty());
    for (int v = 0; v < States::kVertices; ++v) {
      EXPECT_EQ(states.finite[v], v == 4 || v == 9 ? 0 : 1) << v;
      for (std::size_t s = 0; s < states.widths.size(); ++s)
        for (int c = 0; c < states.widths[s]; ++c) {
          const float x = v == 5 ? 0 : states.from[s][v * states.widths[s] + c];
          const float found = states.to[s][(v * 7) % States::kVertices * states.widths[s] + c];
          EXPECT_TRUE(found == x || (std::isnan(found) && std::isnan(x))) << "state " << s << " of vertex " << v;
        }
    }
  }
}

TEST(KeepStates, IsNoKernelOfProgramsForTraining) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1)));
  EXPECT_EQ(step.kernels().names[kKeepStates], "");
}

}  // namespace
}  // namespace cavs::cuda
