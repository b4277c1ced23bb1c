#include "ir/op.h"

#include <array>

#include "support/suggest.h"

namespace cavs::inline v0_1 {

#define CAVS_OP(Name) extern const OpDef k##Name;
#include "ir/op_list.inc"
#undef CAVS_OP

std::span<const OpDef* const> all_ops() {
  static const std::array kOps{
#define CAVS_OP(Name) &k##Name,
#include "ir/op_list.inc"
#undef CAVS_OP
  };
  return kOps;
}

const OpDef& find_op(std::string_view name) {
  for (const OpDef* op : all_ops())
    if (op->name == name) return *op;
  std::vector<std::string_view> known;
  for (const OpDef* op : all_ops()) known.push_back(op->name);
  user_error("unknown operator '{}'; {}", name, suggest(name, known));
}

const OpDef& find_op(OpId id) {
  CAVS_ASSERT(id != OpId::kDefined);
  return *all_ops()[static_cast<std::size_t>(id)];
}

std::string Inference::show(int i) const {
  const std::string shape = in(i).shape_known ? to_string(in(i).shape) : "of unknown shape";
  return fmt::format("{} {}", describe(f_, node_.in[i]), shape);
}

void Inference::fail_with(const std::string& what) const {
  const std::string value = node_.name.empty() ? fmt::format("%{}", id_) : node_.name;
  user_error("[{}] {}, in vertex function '{}', value '{}'", node_.op->name, what, f_.name, value);
}

void same_shape_as_first(Inference& i) { i.set_shape(i.in(0).shape); }

void broadcast_shape(Inference& i) {
  const Shape* shape = &i.in(0).shape;
  for (int k = 1; k < i.inputs(); ++k) {
    const Shape& other = i.in(k).shape;
    if (other == *shape) continue;
    if (other.size() == 1 && (shape->size() != 1 || other.dims.size() < shape->dims.size())) continue;
    if (shape->size() != 1)
      i.fail("shapes differ: {} and {}; expected equal shapes, or a scalar", i.show(0), i.show(k));
    shape = &other;
  }
  i.set_shape(*shape);
}

void scalar_shape(Inference& i) { i.set_shape({}); }

void takes_edges(Inference& i) {
  if (i.in(0).domain.kind != DomainKind::kEdge)
    i.fail(
        "works over children, so it takes a value with one row per child; found {} of {} domain; use children(), or "
        "sum_features, mean_features, max_features for features",
        i.show(0), to_string(i.in(0).domain));
  i.set_shape(i.in(0).shape);
}

void state_shape(Inference& i) {
  const auto& children = i.get<attr::Children>();
  if (children.shape) i.set_shape(*children.shape);
}

}  // namespace cavs::inline v0_1
