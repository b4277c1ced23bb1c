#include <array>

#include "compile/passes.h"

namespace cavs {

std::span<const Pass> pass_list() {
  static constexpr std::array kPasses{
      Pass{"verify", "checks the declared function", false, verify},
      Pass{"simplify", "folds constants, merges equal nodes, drops dead ones", true, simplify},
      Pass{"narrow_slices", "moves slices before element-wise nodes", true, narrow_slices},
      Pass{"compact_absent", "runs what is linear in an absent input on present rows only", true, compact_absent},
      Pass{"differentiate", "derives the backward function", false, differentiate},
      Pass{"simplify_gradient", "simplifies the backward function", true, simplify},
      Pass{"materialise_views", "copies what would be read through two indices", false, materialise_views},
      Pass{"verify_result", "checks what the passes made", false, verify},
  };
  return kPasses;
}

}  // namespace cavs
