#include <algorithm>
#include <limits>

#include "plan/plan.h"
#include "support/check.h"

namespace cavs {
Planner::Planner(const Program& program) : program_(program) {
  present_before_.resize(program.types.size());
  stamps_.resize(program.parameters.size());
}

void Planner::make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan) {
  minibatch_ = &minibatch, schedule_ = &schedule, plan_ = &plan;
  plan.rows.clear(), plan.steps.clear();
  plan.samples = static_cast<std::int32_t>(minibatch.samples.size());
  plan.types.resize(program_.types.size());
  plan.type_begin.assign(schedule.type_begin.begin(), schedule.type_begin.end());
  source_.resize(minibatch.vertices());
  for (std::int32_t k = 0; k < plan.samples; ++k)
    for (std::int32_t v = minibatch.vertex_begin[k]; v < minibatch.vertex_begin[k + 1]; ++v)
      source_[v] = minibatch.source(k, v);
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program_.types.size()); ++t) plan_type(t);
  plan_steps();
  if (program_.options.training) {
    plan_gathers();
    plan_lookups();
  }
  plan_memory();
}

Slice Planner::new_slice(std::int64_t count) {
  const std::size_t begin = plan_->rows.size();
  user_check(begin + static_cast<std::size_t>(count) <= std::numeric_limits<std::int32_t>::max(),
             "the plan of a minibatch of {} vertices has more than 2^31 rows; try a smaller --batch-size",
             minibatch_->vertices());
  plan_->rows.resize(begin + static_cast<std::size_t>(count));
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(count)};
}

void Planner::plan_type(std::int32_t type) {
  const TypeProgram& program = program_.types[type];
  Plan::Type& plan = plan_->types[type];
  plan.vertices = plan_->type_begin[type + 1] - plan_->type_begin[type];
  plan_edges(type);
  plan_present(type);
  plan.indices.resize(program.indices.size());
  plan.lookups.assign(program.indices.size(), {});
  for (std::size_t i = 0; i < program.indices.size(); ++i) {
    const IndexRequest& request = program.indices[i];
    std::int32_t rows = plan.vertices;
    if (request.kind == IndexKind::kChildren || request.kind == IndexKind::kEdgeVertex ||
        request.kind == IndexKind::kEdgePresent)
      rows = plan.edges;
    const auto port = std::find(program.present_ports.begin(), program.present_ports.end(), request.port);
    if (request.kind == IndexKind::kPresentVertex) rows = plan.present[port - program.present_ports.begin()];
    if (request.kind == IndexKind::kPort && request.domain >= kPresentRows)
      rows = plan.present[request.domain - kPresentRows];
    plan.indices[i] = new_slice(rows);
    plan_index(type, request, plan.indices[i]);
  }
  if (!program.random) return;
  plan.samples = new_slice(plan.vertices), plan.vertices_in_sample = new_slice(plan.vertices);
  const auto& begin = minibatch_->vertex_begin;
  for (std::int32_t r = 0; r < plan.vertices; ++r) {
    const std::int32_t v = vertex(type, r);
    const auto k = static_cast<std::int32_t>(std::upper_bound(begin.begin(), begin.end(), v) - begin.begin()) - 1;
    at(plan.samples)[r] = minibatch_->samples[k];
    at(plan.vertices_in_sample)[r] = v - begin[k];
  }
}

void Planner::plan_edges(std::int32_t type) {
  Plan::Type& plan = plan_->types[type];
  plan.segments = new_slice(plan.vertices + 1);
  std::int32_t* segments = at(plan.segments);
  segments[0] = 0;
  const Minibatch& m = *minibatch_;
  for (std::int32_t r = 0; r < plan.vertices; ++r) {
    const std::int32_t v = vertex(type, r);
    std::int32_t count = 0;
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k) count += m.children[k] >= 0;
    segments[r + 1] = segments[r] + count;
  }
  plan.edges = segments[plan.vertices];
}

void Planner::plan_present(std::int32_t type) {
  const TypeProgram& program = program_.types[type];
  Plan::Type& plan = plan_->types[type];
  plan.present.assign(program.present_ports.size(), 0);
  present_before_[type].resize(program.present_ports.size());
  for (std::size_t p = 0; p < program.present_ports.size(); ++p) {
    const auto& values = minibatch_->bound->index_port(program.present_ports[p]);
    present_before_[type][p] = new_slice(plan.vertices + 1);
    std::int32_t* before = at(present_before_[type][p]);
    before[0] = 0;
    for (std::int32_t r = 0; r < plan.vertices; ++r)
      before[r + 1] = before[r] + (values[source_[vertex(type, r)]] >= 0);
    plan.present[p] = before[plan.vertices];
  }
}

/// Rows of `domain` that come before vertex row `row`.
std::int32_t Planner::domain_row(std::int32_t type, DomainId domain, std::int32_t row) const {
  if (domain == kParameterRows) return row > 0 ? 1 : 0;
  if (domain == kVertexRows) return row;
  const Slice slice = domain == kEdgeRows ? plan_->types[type].segments : present_before_[type][domain - kPresentRows];
  return plan_->rows[slice.begin + row];
}

void Planner::plan_index(std::int32_t type, const IndexRequest& request, Slice slice) {
  const TypeProgram& program = program_.types[type];
  const Plan::Type& plan = plan_->types[type];
  const Minibatch& m = *minibatch_;
  std::int32_t* out = at(slice);
  const std::int32_t* segments = at(plan.segments);
  const auto port_number = std::find(program.present_ports.begin(), program.present_ports.end(), request.port) -
                           program.present_ports.begin();
  const auto before = [&]() { return at(present_before_[type][port_number]); };
  switch (request.kind) {
    case IndexKind::kGather:
      for (std::int32_t r = 0; r < plan.vertices; ++r) {
        const std::int32_t v = vertex(type, r), k = m.child_begin[v] + request.k;
        out[r] = k < m.child_begin[v + 1] && m.children[k] >= 0 ? schedule_->row[m.children[k]] : -1;
      }
      break;
    case IndexKind::kChildren:
      for (std::int32_t r = 0; r < plan.vertices; ++r) {
        const std::int32_t v = vertex(type, r);
        for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
          if (m.children[k] >= 0) *out++ = schedule_->row[m.children[k]];
      }
      break;
    case IndexKind::kEdgeVertex:
      for (std::int32_t r = 0; r < plan.vertices; ++r) std::fill(out + segments[r], out + segments[r + 1], r);
      break;
    case IndexKind::kVertexPresent:
      for (std::int32_t r = 0; r < plan.vertices; ++r) out[r] = before()[r + 1] > before()[r] ? before()[r] : -1;
      break;
    case IndexKind::kEdgePresent:
      for (std::int32_t r = 0; r < plan.vertices; ++r)
        std::fill(out + segments[r], out + segments[r + 1], before()[r + 1] > before()[r] ? before()[r] : -1);
      break;
    case IndexKind::kPresentVertex:
      for (std::int32_t r = 0; r < plan.vertices; ++r)
        if (before()[r + 1] > before()[r]) *out++ = r;
      break;
    case IndexKind::kPort: {
      const auto& values = m.bound->index_port(request.port);
      for (std::int32_t r = 0; r < plan.vertices; ++r) {
        const std::int32_t value = values[source_[vertex(type, r)]];
        if (request.domain == kVertexRows || value >= 0) *out++ = value;
      }
      break;
    }
    case IndexKind::kPullRow: {
      std::int32_t port = 0;
      while (program_.float_ports[port].name != request.port) ++port;
      for (std::int32_t r = 0; r < plan.vertices; ++r) {
        const std::int64_t source = source_[vertex(type, r)];
        CAVS_ASSERT(source <= std::numeric_limits<std::int32_t>::max());
        out[r] = m.bound->float_present(port, source) ? static_cast<std::int32_t>(source) : -1;
      }
      break;
    }
  }
}

void Planner::add_step(std::int32_t type, bool backward, Stage stage, std::int32_t begin, std::int32_t end) {
  const TypeProgram& program = program_.types[type];
  if (begin == end || program.at(backward, stage).empty()) return;
  const auto domains = static_cast<std::int32_t>(kPresentRows + program.present_ports.size());
  const Slice ranges = new_slice(2 * domains);
  for (DomainId d = 0; d < domains; ++d) {
    at(ranges)[2 * d] = d == kParameterRows ? 0 : domain_row(type, d, begin);
    at(ranges)[2 * d + 1] = d == kParameterRows ? 1 : domain_row(type, d, end);
  }
  plan_->steps.push_back({type, backward, stage, ranges, is_small(program.cost_at(backward, stage), ranges)});
}

/// The team waits for each other some third of a microsecond at every barrier; a worker does this much in that time
/// where rows are few.
bool Planner::is_small(const CodeCost& cost, Slice ranges) const {
  constexpr double kFlopsInAWait = 32768;
  if (cost.together) return false;
  double flops = 0;
  for (std::size_t d = 0; d < cost.flops.size(); ++d) {
    const std::int32_t* range = plan_->rows.data() + ranges.begin + 2 * d;
    flops += cost.flops[d] * (range[1] - range[0]);
  }
  return flops < kFlopsInAWait * cost.waits;
}

void Planner::plan_steps() {
  const auto types = static_cast<std::int32_t>(program_.types.size());
  const auto everywhere = [&](bool backward, Stage stage) {
    for (std::int32_t t = 0; t < types; ++t) add_step(t, backward, stage, 0, plan_->types[t].vertices);
  };
  everywhere(false, Stage::kEager);
  for (const Task& task : schedule_->tasks) add_step(task.type, false, Stage::kTask, task.begin, task.end);
  everywhere(false, Stage::kLazy);
  if (!program_.options.training) return;
  everywhere(true, Stage::kEager);
  for (auto task = schedule_->tasks.rbegin(); task != schedule_->tasks.rend(); ++task)  // the paper's stack, popped
    add_step(task->type, true, Stage::kTask, task->begin, task->end);
  everywhere(true, Stage::kLazy);
}

void Planner::plan_gathers() {
  plan_->sites.resize(program_.states.size());
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(program_.states.size()); ++s) {
    auto& sites = plan_->sites[s];
    sites.assign(1, 0);
    for (const GradientSite& site : program_.sites[s]) {
      const Plan::Type& type = plan_->types[site.type];
      sites.push_back(sites.back() + (site.child < 0 ? type.edges : type.vertices));
    }
    plan_state_gradient(s);
  }
}

/// For every vertex, the rows that its parents scatter to it, in the order of (parent, child number).
void Planner::plan_state_gradient(std::int32_t state) {
  const Minibatch& m = *minibatch_;
  const auto& sites = program_.sites[state];
  for (auto& type : plan_->types) {
    type.gather_offsets.resize(program_.states.size());
    type.gather_rows.resize(program_.states.size());
  }
  for (std::int32_t earlier = 0; earlier < state; ++earlier) {  // states that are gathered alike share their lists
    const auto same = [](const GradientSite& a, const GradientSite& b) {
      return a.type == b.type && a.child == b.child;
    };
    if (!std::equal(sites.begin(), sites.end(), program_.sites[earlier].begin(), program_.sites[earlier].end(), same))
      continue;
    for (auto& type : plan_->types)
      type.gather_offsets[state] = type.gather_offsets[earlier], type.gather_rows[state] = type.gather_rows[earlier];
    return;
  }
  const auto rows_of = [&](std::int32_t parent, auto&& visit) {  // visit(child vertex, gradient row)
    const std::int32_t type = m.types[parent];
    const std::int32_t local = schedule_->row[parent] - plan_->type_begin[type];
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (sites[i].type != type) continue;
      const auto base = static_cast<std::int32_t>(plan_->sites[state][i]);
      if (sites[i].child >= 0) {
        const std::int32_t k = m.child_begin[parent] + sites[i].child;
        if (k < m.child_begin[parent + 1] && m.children[k] >= 0) visit(m.children[k], base + local);
        continue;
      }
      std::int32_t edge = base + at(plan_->types[type].segments)[local];
      for (std::int32_t k = m.child_begin[parent]; k < m.child_begin[parent + 1]; ++k)
        if (m.children[k] >= 0) visit(m.children[k], edge++);
    }
  };
  cursor_.assign(m.vertices() + 1, 0);
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    rows_of(v, [&](std::int32_t child, std::int32_t) { ++cursor_[schedule_->row[child]]; });
  for (std::size_t t = 0; t < plan_->types.size(); ++t) {
    Plan::Type& type = plan_->types[t];
    type.gather_offsets[state] = new_slice(type.vertices + 1);
    std::int32_t total = 0;
    for (std::int32_t r = 0; r < type.vertices; ++r) {
      at(type.gather_offsets[state])[r] = total;
      total += cursor_[plan_->type_begin[t] + r];
    }
    at(type.gather_offsets[state])[type.vertices] = total;
    type.gather_rows[state] = new_slice(total);
    for (std::int32_t r = 0; r < type.vertices; ++r)
      cursor_[plan_->type_begin[t] + r] = type.gather_rows[state].begin + at(type.gather_offsets[state])[r];
  }
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    rows_of(v, [&](std::int32_t child, std::int32_t row) { plan_->rows[cursor_[schedule_->row[child]]++] = row; });
}

}  // namespace cavs
