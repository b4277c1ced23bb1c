#include "plan/lookup_lists.h"

#include <algorithm>
#include <utility>

#include "plan/edge_rows.h"

namespace cavs::inline v0_1 {

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

/// Groups the lookups of a type by table row. The lookups of a group are in (sample, vertex) order.
void LookupLists::add_list(PlanDraft& draft, const Use& use) {
  LookupList& list = draft.plan.types[use.type].lookups[use.index];
  if (list.offsets.count > 0) return;  // two lookups through one port share the list
  const IndexRequest& request = draft.program.types[use.type].indices[use.index];
  const PortRows* port = request.domain >= kPartialRows ? &ports_.of_domain(use.type, request.domain) : nullptr;
  if (port != nullptr && port->distinct) {
    list.table_rows = port->number_of;
    list.offsets = draft.identity(list.table_rows.count + 1);
    list.rows = draft.identity(list.table_rows.count);
    return;
  }
  if (request.by_edge_port())
    group_edge_lookups(draft, use, request.port);
  else
    group_lookups(draft, use, request.port, port != nullptr ? draft.at(port->before) : nullptr);
  write_list(draft, list);
  for (const std::int32_t table_row : groups_) stamps_[use.table][table_row] = 0;
}

/// Groups at most `most` lookups by table row. New groups get numbers in the order of the calls of add(). add() has no
/// branches, since it is unpredictable whether a table row is repeated.
class LookupLists::Grouping {
 public:
  Grouping(LookupLists& lists, std::int32_t table, std::size_t most)
      : lists_(lists), group_of_(lists.stamps_[table].data()) {
    lists.groups_.resize(most + 1);
    lists.cursor_.assign(most + 1, 0);
    lists.lookups_.resize(most + 1);
    lookup_ = lists.lookups_.data();
  }

  void add(std::int32_t table_row, std::int32_t row) {
    std::int32_t& known = group_of_[table_row];
    lists_.groups_[groups_] = table_row;
    groups_ += known == 0 ? 1 : 0;
    known = known == 0 ? groups_ : known;
    ++lists_.cursor_[known - 1];
    *lookup_++ = {known - 1, row};
  }

  void end() {
    lists_.groups_.resize(groups_);
    lists_.lookups_.resize(lookup_ - lists_.lookups_.data());
  }

 private:
  LookupLists& lists_;
  std::int32_t* group_of_;
  Lookup* lookup_ = nullptr;
  std::int32_t groups_ = 0;
};

/// Groups a type's lookups in (sample, vertex) order. `before` is PortRows::before of a partial domain, or nullptr.
void LookupLists::group_lookups(const PlanDraft& draft, const Use& use, const std::string& port,
                                const std::int32_t* before) {
  const Minibatch& m = draft.minibatch;
  const auto& values = m.bound->index_port(port);
  const std::int32_t *row = draft.schedule.row.data(), first_row = draft.plan.type_begin[use.type];
  Grouping grouping(*this, use.table, static_cast<std::size_t>(m.type_count[use.type]));
  for (std::int32_t k = 0; k < draft.plan.samples; ++k) {
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) {
      const std::int32_t value = m.types[v] == use.type ? values[m.source(k, v)] : -1;
      if (value < 0) continue;
      const std::int32_t local = row[v] - first_row;
      grouping.add(value, before != nullptr ? before[local] : local);
    }
  }
  grouping.end();
}

/// Groups the lookups of edges in (sample, vertex, slot) order.
void LookupLists::group_edge_lookups(PlanDraft& draft, const Use& use, const std::string& port) {
  const Minibatch& m = draft.minibatch;
  const auto values = m.bound->edge_index_port(port);
  const std::int32_t *row = draft.schedule.row.data(), first_row = draft.plan.type_begin[use.type];
  const std::int32_t* const segments = draft.at(draft.plan.types[use.type].segments);
  Grouping grouping(*this, use.table, static_cast<std::size_t>(draft.plan.types[use.type].edges));
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    if (m.types[v] != use.type) continue;
    const std::int32_t local = row[v] - first_row;
    std::int32_t edge = segments[local];
    each_edge(draft, use.type, local, [&](std::int64_t slot) {
      if (values[slot] >= 0) grouping.add(values[slot], edge);
      ++edge;
    });
  }
  grouping.end();
}

/// Writes the lookups, sorted by group, into `list`.
void LookupLists::write_list(PlanDraft& draft, LookupList& list) {
  const auto count = static_cast<std::int32_t>(groups_.size());
  list.table_rows = draft.new_slice(count);
  list.offsets = draft.new_slice(count + 1);
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

/// Returns the list with all lookups of a table if only one list has lookups of the table; otherwise nullptr.
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

/// Returns a list of the table rows that are looked up in a table, each row once.
Slice LookupLists::list_touched(PlanDraft& draft, std::int32_t table) {
  if (const LookupList* only = only_list_of(draft.plan, table)) return only->table_rows;
  auto& seen = stamps_[table];
  groups_.clear();
  for (const Use& use : uses_) {
    if (use.table != table) continue;
    const Slice rows = draft.plan.types[use.type].lookups[use.index].table_rows;
    for (std::int32_t k = 0; k < rows.count; ++k)
      if (const std::int32_t row = draft.at(rows)[k]; seen[row] == 0) {
        seen[row] = 1;
        groups_.push_back(row);
      }
  }
  for (const std::int32_t row : groups_) seen[row] = 0;
  const Slice touched = draft.new_slice(static_cast<std::int64_t>(groups_.size()));
  std::copy(groups_.begin(), groups_.end(), draft.at(touched));
  return touched;
}

}  // namespace cavs::inline v0_1
