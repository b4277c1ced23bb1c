#include "script/operands.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the offset of row 0. Rows are numbered over all tasks. A tensor that holds the rows of one task begins with
/// the task's first row, so row 0 lies before the tensor's memory.
std::int64_t tensor_offset(const Plan& plan, const Step& step, const Tensor& tensor, const Operand& o) {
  const std::int64_t offset = plan.types[step.type].tensors[o.id];
  if (tensor.spans_tasks) return offset;
  return offset - std::int64_t{plan.rows[step.ranges.begin + 2 * tensor.domain]} * o.stride;
}

std::int64_t state_offset(const TypeProgram& type, const Plan& plan, const Step& step, const Operand& o, bool kept) {
  const bool any_type = o.index >= 0 && type.indices[o.index].of_states();
  const std::int64_t first = any_type ? 0 : plan.type_begin[step.type];
  if (kept) return first * o.stride;
  return plan.states[o.id] + (first - plan.state_rows[o.id].begin) * o.stride;
}

void set_memory(const Program& program, const Plan& plan, const Step& step, const Operand& o, ScriptOperand& to) {
  const TypeProgram& type = program.types[step.type];
  to.id = o.id;
  switch (o.kind) {
    case StorageKind::kTensor: {
      const Tensor& tensor = type.tensors[o.id];
      if (tensor.tile >= 0)
        to.buffer = Buffer::kTile;
      else {
        to.offset = tensor_offset(plan, step, tensor, o);
        to.is_factor = tensor.is_factor;
      }
      break;
    }
    case StorageKind::kState: {
      const bool kept = plan.states[o.id] == Plan::kKept;
      if (kept) to.buffer = Buffer::kKeptState;
      to.is_factor = !kept && program.states[o.id].is_factor;
      to.offset = state_offset(type, plan, step, o, kept);
      break;
    }
    case StorageKind::kStateGradient:
      to.is_factor = program.states[o.id].gradient_is_factor;
      to.offset = plan.state_gradients[o.id] + (o.site < 0 ? 0 : plan.sites[o.id][o.site] * o.stride);
      break;
    case StorageKind::kParameter:
      to.buffer = Buffer::kParameter;
      break;
    case StorageKind::kParameterGradient:
      to.buffer = Buffer::kGradient;
      return;
    case StorageKind::kPull:
      to.buffer = Buffer::kPull;
      break;
    case StorageKind::kLossGradient:
      to.buffer = Buffer::kLossGradient;
      break;
  }
  to.offset += o.column;
}

void set_list(const Plan& plan, const Step& step, const Operand& o, ScriptOperand& to) {
  if (o.index < 0) return;
  const std::int32_t shift = plan.shift(step, o.index);
  if (shift == kNoRun)
    to.list = plan.types[step.type].indices[o.index].begin;
  else
    to.offset += std::int64_t{shift} * o.stride;
}

}  // namespace

ScriptOperand operand_of(const Program& program, const Plan& plan, const Step& step, const Access& access) {
  const TypeProgram& type = program.types[step.type];
  const Plan::Type& rows = plan.types[step.type];
  const Operand& o = access.operand;
  ScriptOperand to{.writes = access.writes,
                   .all = access.rows == RowsOf::kAll,
                   .stride = o.stride,
                   .width = o.width,
                   .gate = access.gate,
                   .first_unit = access.first_unit};
  if (!access.writes && o.kind == StorageKind::kTensor && plan.is_view(type.tensors[o.id])) {
    const std::int32_t state = type.tensors[o.id].gathers;
    to.offset = plan.state_gradients[state] + o.column;
    to.list = rows.gather_rows[state].begin;
    to.is_factor = program.states[state].gradient_is_factor;
    return to;
  }
  set_memory(program, plan, step, o, to);
  set_list(plan, step, o, to);
  if (access.rows == RowsOf::kEdges) to.segments = rows.segments.begin;
  if (access.rows == RowsOf::kEqual && !access.writes) to.segments = rows.equal[access.equal].begin;
  if (access.rows == RowsOf::kParents) {
    to.segments = rows.gather_offsets[access.state].begin;
    to.list = rows.gather_rows[access.state].begin;
  }
  return to;
}

}  // namespace cavs::inline v0_1
