#include "plan/state_gradient_rows.h"

#include <algorithm>

namespace cavs::inline v0_1 {
namespace {

/// Returns the list with the rows of the children of a site (a place where ∂F scatters gradients of a state).
Slice children_of(const Plan& plan, const GradientSite& site) { return plan.types[site.type].indices[site.index]; }

/// Computes the first row of each site of a state, and the end of the last site.
void place_sites(const Program& program, std::int32_t state, Plan& plan) {
  auto& sites = plan.sites[state];
  sites.assign(1, 0);
  for (const GradientSite& site : program.sites[state]) sites.push_back(sites.back() + children_of(plan, site).count);
}

/// Reuses the lists of an earlier state that is gathered in the same way. Returns false if there is no such state.
bool share_lists(const Program& program, std::int32_t state, Plan& plan) {
  const auto same = [](const GradientSite& a, const GradientSite& b) { return a.type == b.type && a.index == b.index; };
  for (std::int32_t earlier = 0; earlier < state; ++earlier) {
    if (!std::ranges::equal(program.sites[state], program.sites[earlier], same)) continue;
    for (auto& type : plan.types) {
      type.gather_offsets[state] = type.gather_offsets[earlier];
      type.gather_rows[state] = type.gather_rows[earlier];
    }
    plan.one_parent[state] = plan.one_parent[earlier];
    return true;
  }
  return false;
}

/// Writes to `all`, per row of the states, the gradient row that its only parent scatters to, or -1. Returns false if
/// some row has two parents.
bool find_only_parents(const PlanDraft& draft, std::int32_t state, Slice all) {
  Plan& plan = draft.plan;
  std::int32_t* rows = plan.rows.data() + all.begin;
  std::fill_n(rows, all.count, -1);
  bool twice = false;
  for (std::size_t s = 0; s < draft.program.sites[state].size() && !twice; ++s) {
    const Slice children = children_of(plan, draft.program.sites[state][s]);
    const auto first = static_cast<std::int32_t>(plan.sites[state][s]);
    const std::int32_t* child = plan.rows.data() + children.begin;
    for (std::int32_t i = 0; i < children.count; ++i) {
      if (child[i] < 0) continue;
      twice = twice || rows[child[i]] >= 0;
      rows[child[i]] = first + i;
    }
  }
  return !twice;
}

/// Makes the lists if no vertex has two parents, as in trees and chains. Otherwise returns false.
bool list_only_parents(PlanDraft& draft, std::int32_t state) {
  Plan& plan = draft.plan;
  const Slice all = draft.new_slice(draft.minibatch.vertices());
  if (!find_only_parents(draft, state, all)) {
    plan.rows.resize(all.begin);
    return false;
  }
  plan.one_parent[state] = 1;
  for (std::size_t t = 0; t < plan.types.size(); ++t) {
    Plan::Type& type = plan.types[t];
    type.gather_rows[state] = {all.begin + plan.type_begin[t], type.vertices};
    type.gather_offsets[state] = draft.identity(type.vertices + 1);
  }
  return true;
}

}  // namespace

void StateGradientRows::add_to(PlanDraft& draft) {
  Plan& plan = draft.plan;
  const std::size_t states = draft.program.states.size();
  plan.sites.resize(states);
  for (auto& type : plan.types) {
    type.gather_offsets.resize(states);
    type.gather_rows.resize(states);
  }
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(states); ++s) {
    place_sites(draft.program, s, plan);
    if (!share_lists(draft.program, s, plan) && !list_only_parents(draft, s)) list_parents(draft, s);
  }
}

/// Makes gather_offsets, and sets cursor_ to the beginning of each vertex's list.
void StateGradientRows::count_parents(PlanDraft& draft, std::int32_t state) {
  Plan& plan = draft.plan;
  cursor_.assign(draft.minibatch.vertices(), 0);
  for (const GradientSite& site : draft.program.sites[state]) {
    const Slice children = children_of(plan, site);
    for (std::int32_t i = 0; i < children.count; ++i)
      if (const std::int32_t child = draft.at(children)[i]; child >= 0) ++cursor_[child];
  }
  for (std::size_t t = 0; t < plan.types.size(); ++t) {
    Plan::Type& type = plan.types[t];
    std::int32_t* cursor = cursor_.data() + plan.type_begin[t];
    type.gather_offsets[state] = draft.new_slice(type.vertices + 1);
    std::int32_t *offsets = draft.at(type.gather_offsets[state]), total = 0;
    for (std::int32_t r = 0; r < type.vertices; ++r) {
      offsets[r] = total;
      total += cursor[r];
    }
    offsets[type.vertices] = total;
    type.gather_rows[state] = draft.new_slice(total);
    offsets = draft.at(type.gather_offsets[state]);
    for (std::int32_t r = 0; r < type.vertices; ++r) cursor[r] = type.gather_rows[state].begin + offsets[r];
  }
}

/// Lists for every vertex the rows that its parents scatter to, in the order of (parent, child number).
void StateGradientRows::list_parents(PlanDraft& draft, std::int32_t state) {
  count_parents(draft, state);
  const Minibatch& m = draft.minibatch;
  Plan& plan = draft.plan;
  const auto& sites = draft.program.sites[state];
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (sites[s].type != m.types[v]) continue;
      const Plan::Type& type = plan.types[sites[s].type];
      const std::int32_t local = draft.schedule.row[v] - plan.type_begin[sites[s].type];
      const std::int32_t* children = draft.at(type.indices[sites[s].index]);
      const bool all = sites[s].child < 0;
      const std::int32_t end = all ? draft.at(type.segments)[local + 1] : local + 1;
      for (std::int32_t i = all ? draft.at(type.segments)[local] : local; i < end; ++i)
        if (children[i] >= 0) plan.rows[cursor_[children[i]]++] = static_cast<std::int32_t>(plan.sites[state][s]) + i;
    }
}

}  // namespace cavs::inline v0_1
