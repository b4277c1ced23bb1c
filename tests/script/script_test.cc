// Scripts: what persistent processors do with a minibatch, and what they wait for.

#include "script/script.h"

#include <gmock/gmock.h>

#include "helpers/zoo_test.h"
#include "script/scripted.h"

namespace cavs {
namespace {

using testing::IsEmpty;

class ScriptOfModel : public ZooTest {};
INSTANTIATE_TEST_SUITE_P(Zoo, ScriptOfModel, testing::ValuesIn(zoo_names()), zoo_test_name);

TEST_P(ScriptOfModel, HasNoFaultsWhateverThePolicyAndTheProcessors) {
  for (const std::int32_t samples : {1, 6}) {
    const ZooCase zoo = make(samples, 0.2);
    for (const char* policy : {"frontier", "agenda", "serial"})
      for (const int processors : {1, 2, 3})
        EXPECT_THAT(Scripted(zoo.model, zoo.graphs, processors, policy).faults(), IsEmpty())
            << zoo.name << ", " << policy << ", " << processors << " processors, " << samples << " samples";
  }
}

TEST_P(ScriptOfModel, HasNoFaultsWhateverIsSwitchedOffAndWhoOwnsWhat) {
  const ZooCase zoo = make(4);
  for (const std::vector<std::string>& disabled :
       std::vector<std::vector<std::string>>{{}, {"lazy"}, {"fuse_rows"}, {"merge_products"}, {"task_parallel"}})
    for (const auto strategy : {PlacementStrategy::kGatesTogether, PlacementStrategy::kRoundRobin})
      EXPECT_THAT(Scripted(zoo.model, zoo.graphs, 2, "frontier", {.disabled_passes = disabled}, strategy).faults(),
                  IsEmpty())
          << zoo.name << ", without " << (disabled.empty() ? "nothing" : disabled[0]);
}

}  // namespace
}  // namespace cavs
