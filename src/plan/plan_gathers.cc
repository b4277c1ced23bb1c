#include <algorithm>

#include "plan/plan.h"

namespace cavs {

void Planner::plan_gathers() {
  plan_->sites.resize(program_.states.size());
  for (auto& type : plan_->types) {
    type.gather_offsets.resize(program_.states.size());
    type.gather_rows.resize(program_.states.size());
  }
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(program_.states.size()); ++s) {
    auto& sites = plan_->sites[s];
    sites.assign(1, 0);
    for (const GradientSite& site : program_.sites[s])
      sites.push_back(sites.back() + plan_->types[site.type].indices[site.index].count);
    if (!share_state_gradient(s) && !plan_one_parent(s)) plan_state_gradient(s);
  }
}

/// States that are gathered alike share their lists.
bool Planner::share_state_gradient(std::int32_t state) {
  const auto same = [](const GradientSite& a, const GradientSite& b) { return a.type == b.type && a.child == b.child; };
  const auto& sites = program_.sites[state];
  for (std::int32_t earlier = 0; earlier < state; ++earlier) {
    if (!std::equal(sites.begin(), sites.end(), program_.sites[earlier].begin(), program_.sites[earlier].end(), same))
      continue;
    for (auto& type : plan_->types)
      type.gather_offsets[state] = type.gather_offsets[earlier], type.gather_rows[state] = type.gather_rows[earlier];
    plan_->one_parent[state] = plan_->one_parent[earlier];
    return true;
  }
  return false;
}

/// Where no vertex has two parents (trees, chains): the row that its only parent scatters to it, -1 without one.
bool Planner::plan_one_parent(std::int32_t state) {
  const Slice all = new_slice(minibatch_->vertices());
  std::int32_t* rows = at(all);
  std::fill_n(rows, all.count, -1);
  bool twice = false;
  for (std::size_t s = 0; s < program_.sites[state].size() && !twice; ++s) {
    const GradientSite& site = program_.sites[state][s];
    const Slice children = plan_->types[site.type].indices[site.index];
    const auto first = static_cast<std::int32_t>(plan_->sites[state][s]);
    const std::int32_t* child = at(children);
    for (std::int32_t i = 0; i < children.count; ++i) {
      if (child[i] < 0) continue;
      twice = twice || rows[child[i]] >= 0;
      rows[child[i]] = first + i;
    }
  }
  if (twice) {
    plan_->rows.resize(all.begin);
    return false;
  }
  plan_->one_parent[state] = 1;
  for (std::size_t t = 0; t < plan_->types.size(); ++t) {
    Plan::Type& type = plan_->types[t];
    type.gather_rows[state] = {all.begin + plan_->type_begin[t], type.vertices};
    type.gather_offsets[state] = identity(type.vertices + 1);
  }
  return true;
}

/// For every vertex, the rows that its parents scatter to it, in the order of (parent, child number).
void Planner::plan_state_gradient(std::int32_t state) {
  const Minibatch& m = *minibatch_;
  const auto& sites = program_.sites[state];
  cursor_.assign(m.vertices(), 0);
  for (const GradientSite& site : sites) {
    const Slice children = plan_->types[site.type].indices[site.index];
    for (std::int32_t i = 0; i < children.count; ++i)
      if (const std::int32_t child = at(children)[i]; child >= 0) ++cursor_[child];
  }
  for (std::size_t t = 0; t < plan_->types.size(); ++t) {
    Plan::Type& type = plan_->types[t];
    std::int32_t* cursor = cursor_.data() + plan_->type_begin[t];
    type.gather_offsets[state] = new_slice(type.vertices + 1);
    std::int32_t *offsets = at(type.gather_offsets[state]), total = 0;
    for (std::int32_t r = 0; r < type.vertices; ++r) {
      offsets[r] = total;
      total += cursor[r];
    }
    offsets[type.vertices] = total;
    type.gather_rows[state] = new_slice(total);
    offsets = at(type.gather_offsets[state]);
    for (std::int32_t r = 0; r < type.vertices; ++r) cursor[r] = type.gather_rows[state].begin + offsets[r];
  }
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (sites[s].type != m.types[v]) continue;
      const Plan::Type& type = plan_->types[sites[s].type];
      const std::int32_t local = schedule_->row[v] - plan_->type_begin[sites[s].type];
      const std::int32_t* children = at(type.indices[sites[s].index]);
      const bool all = sites[s].child < 0;
      const std::int32_t end = all ? at(type.segments)[local + 1] : local + 1;
      for (std::int32_t i = all ? at(type.segments)[local] : local; i < end; ++i)
        if (children[i] >= 0)
          plan_->rows[cursor_[children[i]]++] = static_cast<std::int32_t>(plan_->sites[state][s]) + i;
    }
}

}  // namespace cavs
