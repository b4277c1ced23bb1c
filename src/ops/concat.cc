#include <cstdint>
#include <limits>

#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kConcat{
    .name = "concat",
    .id = OpId::kConcat,
    .params = {"parts"},
    .kind = OpKind::kConcat,
    .variadic = true,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          if (i.inputs() == 0) i.fail("takes at least one input");
          std::int64_t width = 0;
          for (int k = 0; k < i.inputs(); ++k) {
            if (i.in(k).shape.dims.size() > 1) i.fail("takes vectors, found {}; reshape it first", i.show(k));
            width += i.in(k).shape.size();
          }
          if (width > std::numeric_limits<std::int32_t>::max())
            i.fail("makes a row of {} numbers, which is too many", width);
          i.set_shape({static_cast<std::int32_t>(width)});
        },
    .gradient =
        [](GradientRule& g) {
          std::int32_t begin = 0;
          for (int k = 0; k < g.inputs(); ++k) {
            const auto width = static_cast<std::int32_t>(g.shape(k).size());
            const Value columns = g.apply(OpId::kSlice, {g.dy()}, attr::Columns{begin, width});
            g.dx(k) += g.shape(k).dims.empty() ? g.apply(OpId::kReshape, {columns}) : columns;
            begin += width;
          }
        },
    .doc = "Concatenates vectors in each row.",
};

}  // namespace cavs::inline v0_1
