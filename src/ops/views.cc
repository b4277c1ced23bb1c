#include <algorithm>

#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kSlice{
    .name = "slice",
    .id = OpId::kSlice,
    .params = {"x"},
    .attributes = attr::Columns{},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          const auto& a = i.get<attr::Columns>();
          if (i.in(0).shape.dims.size() != 1) i.fail("takes one vector per row, found {}; reshape it first", i.show(0));
          if (a.begin < 0 || a.count < 1 || std::int64_t{a.begin} + a.count > i.in(0).shape.size())
            i.fail("columns [{}, {}) are outside of {}", a.begin, std::int64_t{a.begin} + a.count, i.show(0));
          i.set_shape({a.count});
        },
    .gradient = [](GradientRule& g) { g.add_columns(g.get<attr::Columns>().begin, g.dy()); },
    .doc = "Columns [index, index + count) of a vector.",
};

extern const OpDef kPart{
    .name = "part",
    .id = OpId::kPart,
    .params = {"x"},
    .attributes = attr::Part{},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          const auto& a = i.get<attr::Part>();
          if (i.in(0).shape.dims.size() != 1) i.fail("takes one vector per row, found {}; reshape it first", i.show(0));
          const auto d = static_cast<std::int32_t>(i.in(0).shape.size());
          if (a.count < 1 || d % a.count != 0) i.fail("{} does not split into {} equal parts", i.show(0), a.count);
          if (a.index < 0 || a.index >= a.count)
            i.fail("requests part {} of {}; expected 0 to {}", a.index, i.show(0), a.count - 1);
          i.set_shape({d / a.count});
        },
    .gradient =
        [](GradientRule& g) {
          const auto& a = g.get<attr::Part>();
          g.add_columns(static_cast<std::int32_t>(a.index * (g.shape(0).size() / a.count)), g.dy());
        },
    .doc = "Part number `index` of `count` equal parts of a vector (split).",
};

extern const OpDef kReshape{
    .name = "reshape",
    .id = OpId::kReshape,
    .params = {"x"},
    .attributes = attr::Target{},
    .kind = OpKind::kView,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          const Shape& target = i.get<attr::Target>().shape;
          if (std::any_of(target.dims.begin(), target.dims.end(), [](std::int32_t d) { return d < 1; }))
            i.fail("the target is {}; expected sizes of at least 1", to_string(target));
          if (i.in(0).shape.size() != target.size())
            i.fail("{} has {} numbers per row, the target {} has {}", i.show(0), i.in(0).shape.size(),
                   to_string(target), target.size());
          i.set_shape(target);
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.apply(OpId::kReshape, {g.dy()}, attr::Target{g.shape(0)}); },
    .doc = "The same numbers in another shape.",
};

}  // namespace cavs::inline v0_1
