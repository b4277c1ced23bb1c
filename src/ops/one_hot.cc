#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kOneHot{
    .name = "one_hot",
    .id = OpId::kOneHot,
    .params = {"index"},
    .attributes = attr::Classes{},
    .index =
        IndexInput{.input = 0, .limit = [](const Function&, const Node& n) { return n.get<attr::Classes>().count; }},
    .infer =
        [](Inference& i) {
          if (!i.in(0).is_index) i.fail("the index must be a pulled index, found {}", i.show(0));
          if (i.get<attr::Classes>().count < 1)
            i.fail("takes at least one class, found {}", i.get<attr::Classes>().count);
          i.set_shape({i.get<attr::Classes>().count});
        },
    .reference =
        [](Reference& r) {
          for (std::int64_t i = 0; i < r.y.rows; ++i)
            if (const auto c = static_cast<std::int64_t>(r.x[0]->at(i, 0)); c >= 0) r.y.at(i, c) = 1;
        },
    .doc =
        "Vector [count] with 1 at the index and 0 elsewhere; zeros where the index is -1. `count` is the number of "
        "classes. It has no gradient.",
};

}  // namespace cavs::inline v0_1
