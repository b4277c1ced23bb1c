#include "ops/op.h"

namespace cavs {

extern const OpDef kMaxFeaturesGrad{
    .name = "max_features_grad",
    .params = {"x", "y", "dy"},
    .in_public = false,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j)
              if (r.x[0]->at(i, j) == r.x[1]->at(i, 0)) {
                r.y.at(i, j) = r.x[2]->at(i, 0);
                break;
              }
        },
    .doc = "dx of max_features.",
};

}  // namespace cavs
