#include "ops/op.h"

namespace cavs {

extern const OpDef kHardMax{
    .name = "hard_max",
    .params = {"x"},
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i) {
            std::int64_t largest = 0;
            for (std::int64_t j = 1; j < r.y.width; ++j)
              if (r.x[0]->at(i, j) > r.x[0]->at(i, largest)) largest = j;
            r.y.at(i, largest) = 1;
          }
        },
    .doc = "1 at the largest feature, of several the first, and 0 elsewhere; no gradient.",
};

}  // namespace cavs
