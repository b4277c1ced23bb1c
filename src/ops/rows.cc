#include "ir/op.h"

// Operators that change only the domain of a value: it has fewer rows, more rows, or one row for several vertices.
namespace cavs::inline v0_1 {

extern const OpDef kCompact{
    .name = "compact",
    .id = OpId::kCompact,
    .params = {"x"},
    .attributes = attr::Rows{},
    .kind = OpKind::kView,
    .in_public = false,
    .linear = LinearRule::kYes,
    .indexed = true,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = i.get<attr::Rows>().domain;
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .doc = "The rows of the vertices that have input on a port. `index` and `name` are the domain.",
};

extern const OpDef kExpand{
    .name = "expand",
    .id = OpId::kExpand,
    .params = {"x"},
    .attributes = attr::Rows{},
    .kind = OpKind::kElementwise,
    .in_public = false,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = i.get<attr::Rows>().domain;
        },
    .expr = [](const Expression& e) { return e.x[0]; },
    .doc = "Copies of the rows of x, one for each row of a larger domain. `index` and `name` are the domain.",
};

extern const OpDef kEachChild{
    .name = "each_child",
    .id = OpId::kEachChild,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .domain = DomainKind::kEdge,
    .linear = LinearRule::kYes,
    .infer = same_shape_as_first,
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .expr = [](const Expression& e) { return e.x[0]; },
    .doc = "x of the vertex, one row for each child that is present.",
};

extern const OpDef kSegmentSum{
    .name = "segment_sum",
    .id = OpId::kSegmentSum,
    .params = {"x"},
    .attributes = attr::Rows{},
    .kind = OpKind::kRow,
    .in_public = false,
    .infer =
        [](Inference& i) {
          i.set_shape(i.in(0).shape);
          i.node().domain = i.get<attr::Rows>().domain;
        },
    .gradient = [](GradientRule& g) { g.dx(0) += g.dy(); },
    .doc =
        "Sum of the rows of all vertices that have the same number on an index port. `index` and `name` are "
        ""
        "the domain.",
};

extern const OpDef kSumRows{
    .name = "sum_rows",
    .id = OpId::kSumRows,
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
    .doc = "Sum over all rows; the gradient of a broadcast from parameter domain.",
};

extern const OpDef kCopy{
    .name = "copy",
    .id = OpId::kCopy,
    .params = {"x"},
    .kind = OpKind::kElementwise,
    .in_public = false,
    .zero = ZeroRule::kAllInputs,
    .linear = LinearRule::kYes,
    .infer = same_shape_as_first,
    .expr = [](const Expression& e) { return e.x[0]; },
    .doc = "x, in memory of its own.",
};

}  // namespace cavs::inline v0_1
