#pragma once

#include <array>
#include <cstdint>

#include "compile/program.h"
#include "execute/batched/execution.h"
#include "support/check.h"
#include "support/split_range.h"
#include "tensor/rows.h"

namespace cavs::inline v0_1 {

/// The rows of every domain that a step runs over, without leading rows that have been streamed in chunks.
struct StepRows {
  const std::int32_t* begins = nullptr;  // rows of domain d are [begins[2 * d], ends[2 * d])
  const std::int32_t* ends = nullptr;
  const std::int32_t* shifts = nullptr;  // [index lists] result of Plan::shift()

  RowRange of(DomainId domain) const { return {begins[2 * domain], ends[2 * domain]}; }
};

/// Computes the addresses of operands in a step of a run.
struct StepView {
  /// Memory of a row group for the tensors of its block, one after the other: `rows` rows each, from row `begin` on.
  struct Tile {
    float* base = nullptr;
    std::int32_t begin = 0, rows = 0;
  };

  std::array<Tile, 2> tiles;  // [0] for vertices and their partial domains, [1] for edges
  const Execution* run = nullptr;
  std::int32_t type_number = 0;
  const TypeProgram* program = nullptr;  // the type's program
  const Step* step = nullptr;
  StepRows ranges;
  Gradients* gradients = nullptr;
  const Parameters* parameters = nullptr;

  const Plan& plan() const { return run->plan(); }
  const Plan::Type& type() const { return run->plan().types[type_number]; }
  const std::int32_t* rows(Slice slice) const { return run->plan().rows.data() + slice.begin; }
  RowRange range(DomainId domain) const { return ranges.of(domain); }
  void enter(const Step& next, const Program& p) {
    step = &next;
    type_number = next.type;
    program = &p.types[type_number];
    run_over(rows(next.ranges));
  }
  /// @param list  ranges in the form of Step::ranges
  void run_over(const std::int32_t* list) { ranges = {list, list + 1, list + 2 * type().domains()}; }

  /// Returns the address of row 0 of the operand's storage. Rows are numbered through all tasks, so the row 0 of a
  /// tensor that has only the rows of one task is before the tensor's memory.
  const float* base(const Operand& o) const {
    switch (o.kind) {
      case StorageKind::kParameter:
        return parameters->values(o.id).data() + o.column;
      case StorageKind::kPull:
        return run->batch->float_port(o.id) + o.column;
      case StorageKind::kLossGradient:
        return &run->loss_gradient;
      default:
        return written(o);
    }
  }
  /// Like base(), for an operand that can be written.
  float* written(const Operand& o) const {
    const Plan& p = run->plan();
    float* arena = run->arena.get();
    switch (o.kind) {
      case StorageKind::kTensor: {
        const Tensor& tensor = program->tensors[o.id];
        if (tensor.tile >= 0) {
          const Tile& tile = tiles[tensor.domain == kEdgeRows ? 1 : 0];
          return shifted(tile.base,
                         std::int64_t{tensor.tile} * tile.rows - std::int64_t{tile.begin} * o.stride + o.column);
        }
        std::int64_t offset = type().tensors[o.id];
        if (!tensor.spans_tasks) offset -= std::int64_t{range(tensor.domain).begin} * o.stride;
        return shifted(arena, offset + o.column);
      }
      case StorageKind::kState: {
        const bool any_type = o.index >= 0 && program->indices[o.index].of_states();
        const std::int64_t first = any_type ? 0 : p.type_begin[type_number];
        if (p.states[o.id] == Plan::kKept) return run->batch->inputs.kept.states[o.id] + first * o.stride + o.column;
        return shifted(arena, p.states[o.id] + (first - p.state_rows[o.id].begin) * o.stride + o.column);
      }
      case StorageKind::kStateGradient:
        return arena + p.state_gradients[o.id] + p.sites[o.id][o.site] * o.stride + o.column;
      case StorageKind::kParameterGradient:
        return gradients->values(o.id).data();
      default:
        throw InternalError("an instruction writes read-only memory; please report this");
    }
  }

  /// Computes an address that may be outside the arena until the offset of a row is added.
  template <typename Float>
  static Float* shifted(Float* base, std::int64_t floats) {
    return reinterpret_cast<Float*>(reinterpret_cast<std::intptr_t>(base) +
                                    floats * static_cast<std::int64_t>(sizeof(float)));
  }

  ConstRows read(const Operand& o) const {
    if (o.kind == StorageKind::kTensor && plan().is_view(program->tensors[o.id])) {
      const std::int32_t state = program->tensors[o.id].gathers;
      return {run->arena.get() + plan().state_gradients[state] + o.column, o.stride, rows(type().gather_rows[state]),
              o.width};
    }
    if (o.index < 0) return {base(o), o.stride, nullptr, o.width};
    if (const std::int32_t shift = ranges.shifts[o.index]; shift != kNoRun)
      return {shifted(base(o), std::int64_t{shift} * o.stride), o.stride, nullptr, o.width};
    return {base(o), o.stride, rows(type().indices[o.index]), o.width};
  }
  Rows write(const Operand& o) const { return {written(o), o.stride, o.width}; }

  /// Returns the operand from row `first` on.
  ConstRows read_from(const Operand& o, std::int32_t first) const {
    ConstRows x = read(o);
    if (x.index)
      x.index += first;
    else
      x.base = shifted(x.base, first * x.stride);
    return x;
  }
  Rows write_from(const Operand& o, std::int32_t first) const {
    return {shifted(written(o), std::int64_t{first} * o.stride), o.stride, o.width};
  }
};

}  // namespace cavs::inline v0_1
