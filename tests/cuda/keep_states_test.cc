// The kernel that copies states to where they are kept, on fibers.

#include <gmock/gmock.h>

#include "cuda/batched_step.h"
#include "cuda/state_copies.h"

namespace cavs::cuda {
namespace {

TEST(KeepStates, CopiesRowsAndTellsWhichHoldOnlyNumbers) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1), {.training = false}));
  const CompiledModule module(step.source());
  const auto kernel = module.find<void (*)(Launch)>("cavs_keep_states");
  ASSERT_NE(kernel, nullptr);
  for (const int blocks : {1, 3, 5}) {
    StateCopiesCase states;
    EXPECT_THAT(launch_on_fibers(blocks, kernel_threads(PersistentStep::kSmallBlocks), static_cast<unsigned>(blocks),
                                 states.memory(), [&] { kernel(states.launch()); }),
                testing::IsEmpty());
    states.expect_copied();
  }
}

TEST(KeepStates, IsNoKernelOfProgramsForTraining) {
  const BatchedStep step(StepCase(zoo_case("var-lstm", 1)));
  EXPECT_EQ(step.kernels().names[kKeepStates], "");
}

}  // namespace
}  // namespace cavs::cuda
