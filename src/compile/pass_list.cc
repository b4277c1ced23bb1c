#include <algorithm>
#include <array>

#include "compile/passes.h"

namespace cavs {

std::span<const Pass> pass_list() {
  static constexpr std::array kPasses{
      Pass{"verify", "checks the declared function", false, verify},
      Pass{"simplify", "folds constants, merges equal nodes, drops dead ones", true, simplify},
      Pass{"share_lookups", "multiplies a looked-up row once for all vertices that look it up", true, share_lookups},
      Pass{"compact_absent", "runs what is linear in an absent input on present rows only", true, compact_absent},
      Pass{"compact_unlabelled", "runs what only a label's losses need on labelled rows only", true,
           compact_unlabelled},
      Pass{"join_products", "makes one value of products that are added", true, join_products},
      Pass{"narrow_slices", "moves slices before element-wise nodes", true, narrow_slices},
      Pass{"differentiate", "derives the backward function", false, differentiate},
      Pass{"simplify_gradient", "simplifies the backward function", true, simplify},
      Pass{"tile_softmax", "computes the logits of many classes, their loss and gradients tile by tile", true,
           tile_softmax},
      Pass{"join_gradient_products", "does the same in the backward function", true, join_gradient_products},
      Pass{"materialise_views", "copies what would be read through two indices", false, materialise_views},
      Pass{"recompute", "computes cheap values of F again in the backward function instead of storing them", true,
           recompute},
      Pass{"verify_result", "checks what the passes made", false, verify},
  };
  return kPasses;
}

std::span<const Switch> switch_list() {
  static constexpr std::array kSwitches{
      Switch{"eager", "stages: what needs no child runs over all vertices before the tasks"},
      Switch{"lazy", "stages: what no parent needs runs over all vertices after the tasks"},
      Switch{"fuse", "lowering: element-wise nodes of one stage, level, domain and width become one loop"},
      Switch{"merge_products", "lowering: products of one level that share an input become one, weights side by side"},
      Switch{"fuse_rows", "lowering: what works row by row runs together on blocks of rows that stay in the cache"},
      Switch{"side_by_side", "planning: tasks that do not depend on each other run on a worker each"},
      Switch{"fuse_update",
             "training: gradients of large weights that sum few rows are made while the update needs them"},
      Switch{"generate_code", "execution: machine code for every loop instead of the tile interpreter"},
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

}  // namespace cavs
