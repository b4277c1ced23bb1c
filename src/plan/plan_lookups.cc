#include <algorithm>

#include "plan/plan.h"

namespace cavs {

void Planner::plan_lookups() {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program_.types.size()); ++t)
    for (const Code& code : program_.types[t].code[1])
      for (const Instruction& i : code)
        if (i.kind == InstructionKind::kLookupGradient) plan_lookup(t, i);
  plan_touched();
}

/// Groups the type's lookups by table row; inside a group they are in (sample, vertex) order.
void Planner::plan_lookup(std::int32_t type, const Instruction& instruction) {
  const IndexRequest& request = program_.types[type].indices[instruction.index];
  LookupList& list = plan_->types[type].lookups[instruction.index];
  if (list.offsets.count > 0) return;  // two lookups by one port share the list
  const auto& values = minibatch_->bound->index_port(request.port);
  auto& group_of = stamps_[instruction.parameter];  // by table row: 1 + its group, 0 for none
  group_of.resize(program_.parameters[instruction.parameter].shape.dims[0], 0);
  const auto each = [&](auto&& visit) {
    for (std::int32_t v = 0; v < minibatch_->vertices(); ++v)
      if (minibatch_->types[v] == type && values[source_[v]] >= 0)
        visit(values[source_[v]], domain_row(type, request.domain, schedule_->row[v] - plan_->type_begin[type]));
  };
  groups_.clear(), cursor_.clear();
  each([&](std::int32_t table_row, std::int32_t) {
    if (group_of[table_row] == 0) {
      groups_.push_back(table_row), cursor_.push_back(0);
      group_of[table_row] = static_cast<std::int32_t>(groups_.size());
    }
    ++cursor_[group_of[table_row] - 1];
  });
  const auto count = static_cast<std::int32_t>(groups_.size());
  list.table_rows = new_slice(count), list.offsets = new_slice(count + 1);
  std::copy(groups_.begin(), groups_.end(), at(list.table_rows));
  std::int32_t total = 0;
  for (std::int32_t g = 0; g < count; ++g) {
    at(list.offsets)[g] = total;
    total += cursor_[g];
    cursor_[g] = at(list.offsets)[g];
  }
  at(list.offsets)[count] = total;
  list.rows = new_slice(total);
  each([&](std::int32_t table_row, std::int32_t row) { at(list.rows)[cursor_[group_of[table_row] - 1]++] = row; });
  for (std::int32_t table_row : groups_) group_of[table_row] = 0;
}

/// The table rows of all lookups of a table, each once.
void Planner::plan_touched() {
  plan_->touched.assign(program_.parameters.size(), {});
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    if (!program_.parameters[p].table) continue;
    auto& seen = stamps_[p];
    seen.resize(program_.parameters[p].shape.dims[0], 0);
    groups_.clear();
    for (std::size_t t = 0; t < program_.types.size(); ++t)
      for (const Code& code : program_.types[t].code[1])
        for (const Instruction& i : code) {
          if (i.kind != InstructionKind::kLookupGradient || i.parameter != static_cast<std::int32_t>(p)) continue;
          const Slice rows = plan_->types[t].lookups[i.index].table_rows;
          for (std::int32_t k = 0; k < rows.count; ++k)
            if (const std::int32_t row = at(rows)[k]; seen[row] == 0) seen[row] = 1, groups_.push_back(row);
        }
    for (std::int32_t row : groups_) seen[row] = 0;
    plan_->touched[p] = new_slice(static_cast<std::int64_t>(groups_.size()));
    std::copy(groups_.begin(), groups_.end(), at(plan_->touched[p]));
  }
}

}  // namespace cavs
