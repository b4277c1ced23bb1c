#include "plan/lookup_lists.h"

#include <algorithm>
#include <utility>

namespace cavs {

LookupLists::LookupLists(const Program& program, const Ports& ports)
    : ports_(ports), stamps_(program.parameters.size()) {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program.types.size()); ++t)
    for (const Code& code : program.types[t].code[1])
      for (const Instruction& i : code)
        if (const auto* lookup = i.as<LookupGradient>()) uses_.push_back({t, lookup->lookups, lookup->parameter});
  for (const Use& use : uses_) stamps_[use.table].resize(program.parameters[use.table].shape.dims[0], 0);
}

void LookupLists::add_to(PlanDraft& draft) {
  for (const Use& use : uses_) add_list(draft, use);
  const auto& parameters = draft.program.parameters;
  draft.plan.touched.assign(parameters.size(), {});
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if (parameters[p].table) draft.plan.touched[p] = list_touched(draft, static_cast<std::int32_t>(p));
}

/// Groups the type's lookups by table row; inside a group they are in (sample, vertex) order.
void LookupLists::add_list(PlanDraft& draft, const Use& use) {
  LookupList& list = draft.plan.types[use.type].lookups[use.index];
  if (list.offsets.count > 0) return;  // two lookups by one port share the list
  const IndexRequest& request = draft.program.types[use.type].indices[use.index];
  const PortRows* port = request.domain >= kPartialRows ? &ports_.of_domain(use.type, request.domain) : nullptr;
  if (port != nullptr && port->distinct) {
    list.table_rows = port->number_of;
    list.offsets = draft.identity(list.table_rows.count + 1), list.rows = draft.identity(list.table_rows.count);
    return;
  }
  group_lookups(draft, use, request.port, port != nullptr ? draft.at(port->before) : nullptr);
  write_list(draft, list);
  for (const std::int32_t table_row : groups_) stamps_[use.table][table_row] = 0;
}

/// The type's lookups in (sample, vertex) order, as table rows in groups_, their sizes in cursor_, and lookups_;
/// `before`: of a partial domain, its rows before each vertex row, else nullptr. Leaves 1 + its group at each table row
/// in stamps_. Whether a table row was seen before is a coin's throw, so nothing branches on it.
void LookupLists::group_lookups(const PlanDraft& draft, const Use& use, const std::string& port,
                                const std::int32_t* before) {
  const Minibatch& m = draft.minibatch;
  const auto& values = m.bound->index_port(port);
  const std::int32_t *row = draft.schedule.row.data(), first_row = draft.plan.type_begin[use.type];
  const auto max = static_cast<std::size_t>(m.type_count[use.type]) + 1;
  groups_.resize(max), cursor_.assign(max, 0), lookups_.resize(max);
  std::int32_t* const group_of = stamps_[use.table].data();
  std::int32_t groups = 0;
  Lookup* lookup = lookups_.data();
  for (std::int32_t k = 0; k < draft.plan.samples; ++k) {
    const std::int32_t* value = values.data() + m.source(k, m.vertex_begin[k]);
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v, ++value) {
      if (m.types[v] != use.type || *value < 0) continue;
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

/// What group_lookups found, sorted by group.
void LookupLists::write_list(PlanDraft& draft, LookupList& list) {
  const auto count = static_cast<std::int32_t>(groups_.size());
  list.table_rows = draft.new_slice(count), list.offsets = draft.new_slice(count + 1);
  list.rows = draft.new_slice(static_cast<std::int64_t>(lookups_.size()));
  std::copy(groups_.begin(), groups_.end(), draft.at(list.table_rows));
  std::int32_t *offsets = draft.at(list.offsets), *rows = draft.at(list.rows), total = 0;
  for (std::int32_t g = 0; g < count; ++g) {
    offsets[g] = total;
    total += std::exchange(cursor_[g], total);
  }
  offsets[count] = total;
  for (const auto& [group, row] : lookups_) rows[cursor_[group]++] = row;
}

/// The list of all lookups of a table, if there is just one; its table rows are there once.
const LookupList* LookupLists::only_list_of(const Plan& plan, std::int32_t table) const {
  const LookupList* only = nullptr;
  for (const Use& use : uses_) {
    if (use.table != table) continue;
    const LookupList& list = plan.types[use.type].lookups[use.index];
    if (only != nullptr && only != &list) return nullptr;
    only = &list;
  }
  return only;
}

/// The table rows of all lookups of a table, each once.
Slice LookupLists::list_touched(PlanDraft& draft, std::int32_t table) {
  if (const LookupList* only = only_list_of(draft.plan, table)) return only->table_rows;
  auto& seen = stamps_[table];
  groups_.clear();
  for (const Use& use : uses_) {
    if (use.table != table) continue;
    const Slice rows = draft.plan.types[use.type].lookups[use.index].table_rows;
    for (std::int32_t k = 0; k < rows.count; ++k)
      if (const std::int32_t row = draft.at(rows)[k]; seen[row] == 0) seen[row] = 1, groups_.push_back(row);
  }
  for (const std::int32_t row : groups_) seen[row] = 0;
  const Slice touched = draft.new_slice(static_cast<std::int64_t>(groups_.size()));
  std::copy(groups_.begin(), groups_.end(), draft.at(touched));
  return touched;
}

}  // namespace cavs
