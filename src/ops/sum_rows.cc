#include "ops/op.h"

namespace cavs {

extern const OpDef kSumRows{
    .name = "sum_rows",
    .params = {"x"},
    .kind = OpKind::kReduceRows,
    .in_public = false,
    .domain = DomainKind::kParameter,
    .infer = same_shape_as_first,
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.x[0]->rows; ++i)
            for (std::int64_t j = 0; j < r.y.width; ++j) r.y.data[j] += r.x[0]->at(i, j);
        },
    .doc = "Sum over all rows: gradient of a broadcast from parameter domain.",
};

}  // namespace cavs
