#include "script/accesses.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

std::int32_t units_of(std::int32_t columns, std::int32_t unit) { return (columns + unit - 1) / unit; }

/// Returns which rows of `o` a row of the instruction accesses. A row of a vertex may access all edges of the vertex.
RowsOf rows_of(const TypeProgram& type, const Instruction& i, const Operand& o, bool writes) {
  if (i.is<SegmentSum>() && !writes) return RowsOf::kEqual;
  const bool edges = o.index >= 0 ? type.indices[o.index].by_edge() : o.domain == kEdgeRows;
  return edges && i.domain == kVertexRows ? RowsOf::kEdges : RowsOf::kSame;
}

class Collector {
 public:
  Collector(const Program& program, const TypeProgram& type, const WeightPlacement& placement)
      : program_(program), type_(type), unit_(placement.target.unit_columns) {}

  /// @param free_columns  columns of the instruction, or of its group, that processors can share; 0 if none
  MemberAccesses member(const Instruction& i, std::int32_t free_columns) {
    MemberAccesses m{.by_edge = i.domain == kEdgeRows, .accesses = {}};
    const auto gate = [&](const Operand& o) { return o.width == 1 ? 0 : free_columns; };
    const auto* const row = i.as<RowOp>();
    const bool reads = row == nullptr || row->op->id != OpId::kDropoutMask;  // a mask reads only the shape of its input
    for (const Operand& o : reads ? i.in : std::vector<Operand>()) {
      m.accesses.push_back({.operand = o, .rows = rows_of(type_, i, o, false), .gate = i.is<Matmul>() ? 0 : gate(o)});
      if (const auto* const sum = i.as<SegmentSum>()) m.accesses.back().equal = sum->by - kPartialRows;
    }
    if (const auto* const gather = i.as<GatherGradient>())
      m.accesses.push_back(gathered(gather->state, i.out[0].width, gate(i.out[0])));
    for (std::size_t k = 0; k < i.out.size(); ++k) m.accesses.push_back(written(i, k, gate(i.out[k])));
    if (const auto* const lookup = i.as<LookupGradient>()) m.accesses.push_back(table(lookup->parameter));
    std::erase_if(m.accesses, [&](const Access& access) { return is_in_tile(access.operand); });
    return m;
  }

 private:
  /// True if the operand is a tile (a buffer of a few rows), which stays on one processor.
  bool is_in_tile(const Operand& o) const {
    return o.kind == StorageKind::kTensor && type_.tensors[o.id].tile >= 0 && type_.tensors[o.id].gathers < 0;
  }

  static Access gathered(std::int32_t state, std::int32_t width, std::int32_t gate) {
    return {.operand = {.kind = StorageKind::kStateGradient, .id = state, .width = width, .stride = width},
            .rows = RowsOf::kParents,
            .state = state,
            .gate = gate};
  }

  static Access table(std::int32_t parameter) {
    return {.operand = {.kind = StorageKind::kParameterGradient, .id = parameter, .width = 0},
            .writes = true,
            .rows = RowsOf::kAll};
  }

  Access written(const Instruction& i, std::size_t out, std::int32_t gate) const {
    const Operand& o = i.out[out];
    Access access{.operand = o, .writes = true, .rows = rows_of(type_, i, o, true), .gate = gate};
    if (o.kind == StorageKind::kParameterGradient) access.rows = RowsOf::kAll;
    if (const auto* const product = i.as<Matmul>())
      set_units(product->factors, static_cast<std::int32_t>(out), o, access);
    return access;
  }

  /// Sets the units of the columns of `o`, result `out` of a product. With gates, all results have the same units.
  /// Without gates, the units of a result follow the units of the results before it.
  void set_units(const std::vector<Factor>& factors, std::int32_t out, const Operand& o, Access& access) const {
    for (const Factor& factor : factors) {
      const auto part = std::ranges::find(factor.outs, out);
      if (part == factor.outs.end()) continue;
      const Weight& weight = program_.weights[factor.weight];
      access.gate = weight.gate > 0 ? weight.gate : o.width;
      access.first_unit = 0;
      if (weight.gate == 0)
        for (auto before = factor.outs.begin(); before != part; ++before)
          access.first_unit += units_of(width(weight, before - factor.outs.begin()), unit_);
      return;
    }
  }

  std::int32_t width(const Weight& weight, std::ptrdiff_t part) const {
    return program_.parameters[weight.parameters[static_cast<std::size_t>(part)]].shape.dims[weight.transposed ? 0 : 1];
  }

  const Program& program_;
  const TypeProgram& type_;
  std::int32_t unit_;
};

/// Returns the product that the instruction is, or that is the first of its group; nullptr if there is none.
const Matmul* product_of(const Instruction& i) {
  const auto* const group = i.as<RowGroup>();
  return group == nullptr ? i.as<Matmul>() : group->members.front().as<Matmul>();
}

/// Returns the placed weight whose owners share the product; nullptr if the factors have different owners.
const PlacedWeight* owners_of(const std::vector<Factor>& factors, const WeightPlacement& placement) {
  const PlacedWeight* const first = placement.find(factors.front().weight);
  if (first == nullptr) return nullptr;
  const auto same = [&](const Factor& factor) {
    const PlacedWeight* const placed = placement.find(factor.weight);
    return placed != nullptr && placed->owner == first->owner;
  };
  return std::ranges::all_of(factors, same) ? first : nullptr;
}

std::int32_t product_units(const Program& program, const std::vector<Factor>& factors, std::int32_t unit) {
  const Weight& weight = program.weights[factors.front().weight];
  if (weight.gate > 0) return units_of(weight.gate, unit);
  std::int32_t units = 0;
  for (const std::int32_t p : weight.parameters)
    units += units_of(program.parameters[p].shape.dims[weight.transposed ? 0 : 1], unit);
  return units;
}

Sharing sharing_of(const Instruction& i) {
  if (i.is<WeightGradient, SumRows, LookupGradient>()) return Sharing::kOutput;
  if (i.is<LinearCrossEntropy>()) return Sharing::kCollective;
  return product_of(i) == nullptr ? Sharing::kRows : Sharing::kUnits;
}

std::int32_t gradient_of(const Instruction& i) {
  if (const auto* const lookup = i.as<LookupGradient>()) return lookup->parameter;
  for (const Operand& o : i.out)
    if (o.kind == StorageKind::kParameterGradient) return o.id;
  return -1;
}

}  // namespace

InstructionAccesses accesses_of(const Program& program, const TypeProgram& type, const Instruction& i, bool by_tasks,
                                const WeightPlacement& placement) {
  InstructionAccesses all;
  all.sharing = sharing_of(i);
  all.is_sum = i.is<WeightGradient, SumRows>() || (i.is<LinearCrossEntropy>() && i.out.size() > 1);
  all.by_edge = i.domain == kEdgeRows;
  all.gradient = gradient_of(i);
  all.adds_by_tasks = by_tasks && all.gradient >= 0;
  if (all.sharing == Sharing::kUnits) {
    const std::vector<Factor>& factors = product_of(i)->factors;
    all.placed = by_tasks ? owners_of(factors, placement) : nullptr;
    if (all.placed != nullptr) all.sharing = Sharing::kOwner;
    all.units = product_units(program, factors, placement.target.unit_columns);
  } else if (all.sharing == Sharing::kRows) {
    all.units = units_of(i.free_columns, placement.target.unit_columns);
  }
  Collector collect(program, type, placement);
  each_instruction(std::span(&i, 1),
                   [&](const Instruction& member) { all.members.push_back(collect.member(member, i.free_columns)); });
  return all;
}

}  // namespace cavs::inline v0_1
