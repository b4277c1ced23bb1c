#include <algorithm>
#include <utility>

#include "plan/plan.h"

namespace cavs {

void Planner::plan_lookups() {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program_.types.size()); ++t)
    for (const Code& code : program_.types[t].code[1])
      for (const Instruction& i : code)
        if (const auto* lookup = i.as<LookupGradient>()) plan_lookup(t, *lookup);
  plan_touched();
}

/// The type's lookups in (sample, vertex) order, as table rows in groups_, their sizes in cursor_, and (group, row).
/// Whether a table row was seen before is a coin's throw, so nothing branches on it.
void Planner::find_lookups(std::int32_t type, const IndexRequest& request, std::vector<std::int32_t>& group_of) {
  const Minibatch& m = *minibatch_;
  const auto& values = m.bound->index_port(request.port);
  const std::int32_t* before =
      request.domain >= kPartialRows ? at(ports_[type][request.domain - kPartialRows].before) : nullptr;
  const std::int32_t *row = schedule_->row.data(), first_row = plan_->type_begin[type];
  const auto most = static_cast<std::size_t>(m.type_count[type]) + 1;
  groups_.resize(most), cursor_.assign(most, 0), lookups_.resize(most);
  std::int32_t groups = 0;
  auto* lookup = lookups_.data();
  for (std::int32_t k = 0; k < plan_->samples; ++k) {
    const std::int32_t* value = values.data() + m.source(k, m.vertex_begin[k]);
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v, ++value) {
      if (m.types[v] != type || *value < 0) continue;
      std::int32_t& known = group_of[*value];
      groups_[groups] = *value;
      groups += known == 0 ? 1 : 0;
      known = known == 0 ? groups : known;
      ++cursor_[known - 1];
      const std::int32_t local = row[v] - first_row;
      *lookup++ = {known - 1, before != nullptr ? before[local] : local};
    }
  }
  groups_.resize(groups), lookups_.resize(lookup - lookups_.data());
}

/// Groups the type's lookups by table row; inside a group they are in (sample, vertex) order.
void Planner::plan_lookup(std::int32_t type, const LookupGradient& lookup) {
  LookupList& list = plan_->types[type].lookups[lookup.lookups];
  if (list.offsets.count > 0) return;  // two lookups by one port share the list
  const IndexRequest& request = program_.types[type].indices[lookup.lookups];
  if (request.domain >= kPartialRows && ports_[type][request.domain - kPartialRows].distinct) {
    list.table_rows = ports_[type][request.domain - kPartialRows].number_of;
    list.offsets = identity(list.table_rows.count + 1), list.rows = identity(list.table_rows.count);
    return;
  }
  auto& group_of = stamps_[lookup.parameter];  // by table row: 1 + its group, 0 for none
  group_of.resize(program_.parameters[lookup.parameter].shape.dims[0], 0);
  find_lookups(type, request, group_of);
  const auto count = static_cast<std::int32_t>(groups_.size());
  list.table_rows = new_slice(count), list.offsets = new_slice(count + 1);
  list.rows = new_slice(static_cast<std::int64_t>(lookups_.size()));
  std::copy(groups_.begin(), groups_.end(), at(list.table_rows));
  std::int32_t *offsets = at(list.offsets), *rows = at(list.rows), total = 0;
  for (std::int32_t g = 0; g < count; ++g) {
    offsets[g] = total;
    total += std::exchange(cursor_[g], total);
  }
  offsets[count] = total;
  for (const auto& [group, row] : lookups_) rows[cursor_[group]++] = row;
  for (std::int32_t table_row : groups_) group_of[table_row] = 0;
}

/// The list of all lookups of a table, if there is just one; its table rows are there once.
const LookupList* Planner::only_list_of(std::int32_t table) const {
  const LookupList* only = nullptr;
  for (std::size_t t = 0; t < program_.types.size(); ++t)
    for (const Code& code : program_.types[t].code[1])
      for (const Instruction& i : code) {
        const auto* lookup = i.as<LookupGradient>();
        if (lookup == nullptr || lookup->parameter != table) continue;
        const LookupList& list = plan_->types[t].lookups[lookup->lookups];
        if (only != nullptr && only != &list) return nullptr;
        only = &list;
      }
  return only;
}

/// The table rows of all lookups of a table, each once.
void Planner::plan_touched() {
  plan_->touched.assign(program_.parameters.size(), {});
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    if (!program_.parameters[p].table) continue;
    if (const LookupList* only = only_list_of(static_cast<std::int32_t>(p))) {
      plan_->touched[p] = only->table_rows;
      continue;
    }
    auto& seen = stamps_[p];
    seen.resize(program_.parameters[p].shape.dims[0], 0);
    groups_.clear();
    for (std::size_t t = 0; t < program_.types.size(); ++t)
      for (const Code& code : program_.types[t].code[1])
        for (const Instruction& i : code) {
          const auto* lookup = i.as<LookupGradient>();
          if (lookup == nullptr || lookup->parameter != static_cast<std::int32_t>(p)) continue;
          const Slice rows = plan_->types[t].lookups[lookup->lookups].table_rows;
          for (std::int32_t k = 0; k < rows.count; ++k)
            if (const std::int32_t row = at(rows)[k]; seen[row] == 0) seen[row] = 1, groups_.push_back(row);
        }
    for (std::int32_t row : groups_) seen[row] = 0;
    plan_->touched[p] = new_slice(static_cast<std::int64_t>(groups_.size()));
    std::copy(groups_.begin(), groups_.end(), at(plan_->touched[p]));
  }
}

}  // namespace cavs
