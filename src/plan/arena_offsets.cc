#include "plan/arena_offsets.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// Returns the range from the first to the last type that scatters a state. Rows of other types are not used.
std::pair<std::int32_t, std::int32_t> scattered_by(const Program& program, std::int32_t state) {
  const auto is_state = [&](const Operand& o) { return o.kind == StorageKind::kState && o.id == state; };
  std::pair<std::int32_t, std::int32_t> range{0, 0};
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program.types.size()); ++t)
    for (const Code& code : program.types[t].code[0])
      each_instruction(code, [&](const Instruction& i) {
        if (!std::any_of(i.out.begin(), i.out.end(), is_state)) return;
        if (range.second == 0) range.first = t;
        range.second = t + 1;
      });
  return range;
}

}  // namespace

ArenaOffsets::ArenaOffsets(const Program& program) : alignment_(program.target.alignment) {
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(program.states.size()); ++s)
    scattered_by_.push_back(scattered_by(program, s));
}

void ArenaOffsets::add_to(PlanDraft& draft) {
  used_ = 0;
  place_states(draft);
  for (std::int32_t t = 0; t < draft.types(); ++t) place_tensors(draft, t);
  draft.plan.arena = used_;
}

std::int64_t ArenaOffsets::take(std::int64_t rows, std::int64_t width) {
  const std::int64_t offset = used_;
  used_ += (rows * width + alignment_ - 1) / alignment_ * alignment_;
  return offset;
}

void ArenaOffsets::place_states(PlanDraft& draft) {
  Plan& plan = draft.plan;
  const Program& program = draft.program;
  plan.states.clear();
  plan.state_rows.clear();
  plan.state_gradients.clear();
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    const auto [first, end] = scattered_by_[s];
    const std::int32_t begin = plan.type_begin[first];
    const bool kept = draft.minibatch.keeps_state(static_cast<std::int32_t>(s));
    const std::int32_t rows = kept ? 0 : plan.type_begin[end] - begin;
    plan.state_rows.push_back({begin, rows});
    plan.states.push_back(kept ? Plan::kKept : take(rows, program.states[s].width));
    const std::int64_t gradient_rows = program.options.training ? plan.sites[s].back() : 0;
    plan.state_gradients.push_back(take(gradient_rows, program.states[s].width));
  }
}

void ArenaOffsets::place_tensors(PlanDraft& draft, std::int32_t type) {
  find_largest_tasks(draft.plan, type);
  Plan::Type& plan = draft.plan.types[type];
  plan.tensors.clear();
  for (const Tensor& tensor : draft.program.types[type].tensors) {
    const bool has_memory = tensor.tile < 0 && !draft.plan.is_view(tensor);
    std::int32_t rows = has_memory ? plan.row_count(tensor.domain) : 0;
    if (tensor.max_rows > 0) rows = std::min(rows, tensor.max_rows);
    if (!tensor.spans_tasks) rows = std::min(rows, largest_[tensor.domain]);
    plan.tensors.push_back(take(rows, tensor.width));
  }
}

void ArenaOffsets::find_largest_tasks(const Plan& plan, std::int32_t type) {
  largest_.assign(plan.types[type].domains(), 0);
  for (const Step& step : plan.steps) {
    if (step.type != type || step.stage != Stage::kTask) continue;
    for (DomainId d = 0; d < plan.types[type].domains(); ++d) {
      const RowRange rows = plan.range(step, d);
      largest_[d] = std::max(largest_[d], rows.end - rows.begin);
    }
  }
}

}  // namespace cavs::inline v0_1
