#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kPull{
    .name = "pull",
    .id = OpId::kPull,
    .params = {},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .linear = LinearRule::kYes,
    .indexed = true,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Tensor>().shape); },
    .doc =
        "External input of a vertex (Cavs, section 3.1); zeros where absent. `name` is the port, `shape` the shape of "
        "a row.",
};

extern const OpDef kPullAll{
    .name = "pull_all",
    .id = OpId::kPullAll,
    .params = {},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Tensor>().shape); },
    .doc = "All rows that a connection gives (Cavs, section 3.1). `name` is the port, `shape` the shape of a row.",
};

extern const OpDef kPullIndex{
    .name = "pull_index",
    .id = OpId::kPullIndex,
    .params = {},
    .attributes = attr::IndexPort{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kVertex,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          i.set_shape({});
          i.node().is_index = true;
          const auto& a = i.get<attr::IndexPort>();
          if (a.rows != DomainKind::kVertex) i.node().domain = {a.rows, a.name};
        },
    .doc = "External integer of a vertex; -1 where absent. `name` is the port, `index` the domain if not vertex.",
};

extern const OpDef kPullEdges{
    .name = "pull_edges",
    .id = OpId::kPullEdges,
    .params = {},
    .attributes = attr::EdgePort{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .linear = LinearRule::kYes,
    .indexed = true,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::EdgePort>().shape); },
    .doc =
        "External input of edges, one row per child; zeros where absent. `name` is the port, `index` the first slot, "
        "`shape` the shape of a row.",
};

extern const OpDef kPullEdgeIndex{
    .name = "pull_edge_index",
    .id = OpId::kPullEdgeIndex,
    .params = {},
    .attributes = attr::EdgePort{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kEdge,
    .linear = LinearRule::kYes,
    .infer =
        [](Inference& i) {
          i.set_shape({});
          i.node().is_index = true;
        },
    .doc = "External integer of edges, one per child; -1 where absent. `name` is the port, `index` the first slot.",
};

extern const OpDef kPullGradient{
    .name = "pull_gradient",
    .id = OpId::kPullGradient,
    .params = {"dx"},
    .attributes = attr::Named{},
    .kind = OpKind::kSink,
    .in_public = false,
    .places_input = true,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },
    .doc = "Gradient of a pull from port `name`, for the caller.",
};

}  // namespace cavs::inline v0_1
