#include "ops/op.h"

namespace cavs {

extern const OpDef kDot{
    .name = "dot",
    .params = {"x", "y"},
    .infer =
        [](Inference& i) {
          if (i.in(0).shape.size() != i.in(1).shape.size()) i.fail("sizes differ: {} and {}", i.show(0), i.show(1));
          i.set_shape({});
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy() * g.x(1), g.dx(1) += g.dy() * g.x(0); },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            for (std::int64_t j = 0; j < r.x[0]->width; ++j) r.y.at(i, 0) += r.x[0]->at(i, j) * r.x[1]->at(i, j);
        },
    .doc = "Inner product over the features: [].",
};

}  // namespace cavs
