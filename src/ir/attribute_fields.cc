#include "ir/attribute_fields.h"

#include <type_traits>

#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Converts the first slot of `children` to its field `index` and back. It is negative; for `gather`, `index` is the
/// slot.
constexpr std::int32_t flipped(std::int32_t slot) { return -1 - slot; }

AttributeFields fields(const attr::None&) { return {}; }
AttributeFields fields(const attr::Named& a) { return {.name = a.name}; }
AttributeFields fields(const attr::Tensor& a) { return {.name = a.name, .shape = a.shape}; }
AttributeFields fields(const attr::Children& a) {
  return {.name = a.name,
          .index = a.all ? flipped(a.slot) : a.slot,
          .count = a.shape ? 1 : 0,
          .shape = a.shape.value_or(Shape())};
}
AttributeFields fields(const attr::IndexPort& a) {
  return {.name = a.name, .index = a.rows == DomainKind::kVertex ? 0 : static_cast<std::int32_t>(a.rows)};
}
AttributeFields fields(const attr::Constant& a) { return {.number = a.number, .shape = a.shape}; }
AttributeFields fields(const attr::Number& a) { return {.number = a.number}; }
AttributeFields fields(const attr::Columns& a) { return {.index = a.begin, .count = a.count}; }
AttributeFields fields(const attr::Part& a) { return {.index = a.index, .count = a.count}; }
AttributeFields fields(const attr::Target& a) { return {.shape = a.shape}; }
AttributeFields fields(const attr::Rows& a) {
  return {.name = a.domain.port, .index = static_cast<std::int32_t>(a.domain.kind)};
}
AttributeFields fields(const attr::Classes& a) { return {.count = a.count}; }
AttributeFields fields(const attr::Dropout& a) {
  return {.index = a.mask, .count = a.by_sample ? 1 : 0, .number = a.probability};
}
AttributeFields fields(const attr::Window& a) {
  AttributeFields f{.index = a.padding, .count = a.stride, .shape = {a.kernel_height, a.kernel_width}};
  if (a.height > 0) f.shape.dims.insert(f.shape.dims.end(), {a.height, a.width, a.channels});
  return f;
}
AttributeFields fields(const attr::Matrices& a) { return {.count = a.rows}; }
AttributeFields fields(const attr::Loss& a) { return {.index = a.number}; }
AttributeFields fields(const attr::EdgePort& a) { return {.name = a.name, .index = a.first, .shape = a.shape}; }

// The functions read() are the inverse of fields(). The first argument only selects the family of attributes.
attr::None read(const attr::None&, const OpDef&, const AttributeFields&) { return {}; }
attr::Named read(const attr::Named&, const OpDef&, const AttributeFields& f) { return {f.name}; }
attr::Tensor read(const attr::Tensor&, const OpDef&, const AttributeFields& f) { return {f.name, f.shape}; }
attr::Children read(const attr::Children&, const OpDef&, const AttributeFields& f) {
  const bool all = f.index < 0;
  return {f.name, all ? flipped(f.index) : f.index, all, f.count != 0 ? std::optional(f.shape) : std::nullopt};
}
attr::IndexPort read(const attr::IndexPort&, const OpDef&, const AttributeFields& f) {
  return {f.name, f.index == 0 ? DomainKind::kVertex : static_cast<DomainKind>(f.index)};
}
attr::Constant read(const attr::Constant&, const OpDef&, const AttributeFields& f) { return {f.number, f.shape}; }
attr::Number read(const attr::Number&, const OpDef&, const AttributeFields& f) { return {f.number}; }
attr::Columns read(const attr::Columns&, const OpDef&, const AttributeFields& f) { return {f.index, f.count}; }
attr::Part read(const attr::Part&, const OpDef&, const AttributeFields& f) { return {f.index, f.count}; }
attr::Target read(const attr::Target&, const OpDef&, const AttributeFields& f) { return {f.shape}; }
attr::Rows read(const attr::Rows&, const OpDef&, const AttributeFields& f) {
  return {{static_cast<DomainKind>(f.index), f.name}};
}
attr::Classes read(const attr::Classes&, const OpDef&, const AttributeFields& f) { return {f.count}; }
attr::Dropout read(const attr::Dropout&, const OpDef&, const AttributeFields& f) {
  return {f.number, f.count != 0, f.index};
}
attr::Window read(const attr::Window&, const OpDef& op, const AttributeFields& f) {
  const auto& d = f.shape.dims;
  user_check(d.size() >= 2, "[{}] the window is {}, expected [height, width]", op.name, to_string(f.shape));
  attr::Window a{.kernel_height = d[0], .kernel_width = d[1], .stride = f.count, .padding = f.index};
  if (d.size() == 5) {
    a.height = d[2];
    a.width = d[3];
    a.channels = d[4];
  }
  return a;
}
attr::Matrices read(const attr::Matrices&, const OpDef&, const AttributeFields& f) { return {f.count}; }
attr::Loss read(const attr::Loss&, const OpDef&, const AttributeFields& f) { return {f.index}; }
attr::EdgePort read(const attr::EdgePort&, const OpDef&, const AttributeFields& f) {
  return {f.name, f.index, f.shape};
}

}  // namespace

AttributeFields fields_of(const Attributes& attributes) {
  return std::visit([](const auto& a) { return fields(a); }, attributes);
}

Attributes attributes_from(const OpDef& op, const AttributeFields& f) {
  return std::visit([&](const auto& kind) -> Attributes { return read(kind, op, f); }, op.attributes);
}

std::string_view kind_of(const Attributes& attributes) {
  constexpr std::string_view kNames[] = {"None",    "Named",   "Tensor",   "Children", "IndexPort", "Constant",
                                         "Number",  "Columns", "Part",     "Target",   "Rows",      "Classes",
                                         "Dropout", "Window",  "Matrices", "Loss",     "EdgePort"};
  static_assert(std::size(kNames) == std::variant_size_v<Attributes>);
  return kNames[attributes.index()];
}

}  // namespace cavs::inline v0_1
