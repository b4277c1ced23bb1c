#include <algorithm>
#include <array>

#include "compile/passes.h"

namespace cavs::inline v0_1 {

std::span<const Pass> pass_list() {
  static constexpr std::array kPasses{
#define CAVS_PASS(name, run, doc) Pass{name, doc, false, run},
#define CAVS_OPTIONAL_PASS(name, run, doc) Pass{name, doc, true, run},
#include "compile/pass_list.inc"
#undef CAVS_OPTIONAL_PASS
#undef CAVS_PASS
  };
  return kPasses;
}

std::span<const Switch> switch_list() {
  static constexpr std::array kSwitches{
      Switch{"eager", "stages: nodes that need no children run for all vertices at once, before the tasks"},
      Switch{"lazy", "stages: nodes that no parent needs run for all vertices at once, after the tasks"},
      Switch{"fuse", "lowering: element-wise nodes of one stage, level, domain and width become one loop"},
      Switch{"merge_products",
             "lowering: products of one level that share an input become one, with weights side by side"},
      Switch{"fuse_rows", "lowering: row-by-row instructions run together on blocks of rows that stay in the cache"},
      Switch{"task_parallel", "planning: independent tasks run at the same time, on one worker each"},
      Switch{"fuse_update", "training: the update computes gradients of large weights that sum few rows"},
      Switch{"generate_code", "execution: loops run as generated machine code instead of in the tile interpreter"},
  };
  return kSwitches;
}

std::vector<std::string_view> optional_passes() {
  std::vector<std::string_view> names;
  for (const Pass& pass : pass_list())
    if (pass.optional) names.push_back(pass.name);
  for (const Switch& item : switch_list()) names.push_back(item.name);
  return names;
}

bool is_on(const CompileOptions& options, std::string_view name) {
  const auto& disabled = options.disabled_passes;
  return std::find(disabled.begin(), disabled.end(), name) == disabled.end();
}

}  // namespace cavs::inline v0_1
