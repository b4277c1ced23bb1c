#include "execute/cuda/pull_rows.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace cavs::cuda {

bool PullRows::is_of_edges(const Minibatch& minibatch, std::size_t port) const {
  const auto& ports = minibatch.bound->graphs().schema().float_ports;
  return std::ranges::find(ports, program_.float_ports[port].name, &GraphSchema::FloatPort::name) == ports.end();
}

/// True if evaluated vertices read the port, and the data set (not the caller) has its rows.
bool PullRows::is_read(const Minibatch& minibatch, std::size_t port) const {
  const std::string& name = program_.float_ports[port].name;
  const auto lists = [&](const IndexRequest& request) {
    return request.port == name && (request.kind == IndexKind::kPullRow || request.kind == IndexKind::kPullEdgeRow);
  };
  for (std::size_t t = 0; t < program_.types.size(); ++t)
    if (!minibatch.is_kept(static_cast<std::int32_t>(t)) && std::ranges::any_of(program_.types[t].indices, lists))
      return !minibatch.bound->is_run_port(name);
  return false;
}

const Plan& PullRows::collect(const Minibatch& minibatch, const Plan& plan) {
  find_runs(minibatch);
  begin_.assign(1, 0);
  for (std::size_t port = 0; port < program_.float_ports.size(); ++port) {
    const Runs& runs = is_of_edges(minibatch, port) ? slots_ : vertices_;
    const bool has_rows = is_read(minibatch, port) && !runs.empty();
    const std::int64_t rows = has_rows ? runs.back().begin + runs.back().count : 0;
    begin_.push_back(begin_.back() + rows * program_.float_ports[port].width);
  }
  if (begin_.back() == 0) return plan;
  plan_ = plan;
  is_moved_.assign(plan.rows.size(), 0);
  for (std::size_t t = 0; t < plan.types.size(); ++t)
    if (plan.types[t].vertices > 0) move(minibatch, static_cast<std::int32_t>(t));
  return plan_;
}

/// Finds the rows of the minibatch's samples, in the order of the data set, so that neighbours stay neighbours.
void PullRows::find_runs(const Minibatch& minibatch) {
  const GraphSet& graphs = minibatch.bound->graphs();
  std::vector<std::int32_t> samples = minibatch.samples;
  std::ranges::sort(samples);
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  vertices_.clear();
  slots_.clear();
  const auto add = [](Runs& runs, std::int64_t begin, std::int64_t end) {
    runs.push_back({begin, end - begin, runs.empty() ? 0 : runs.back().begin + runs.back().count});
  };
  for (const std::int32_t sample : samples) {
    const std::int64_t begin = graphs.vertex_begin()[sample], end = graphs.vertex_begin()[sample + 1];
    add(vertices_, begin, end);
    add(slots_, graphs.child_begin()[begin], graphs.child_begin()[end]);
  }
}

std::int32_t PullRows::moved(const Runs& runs, std::int64_t source) {
  const auto next = std::ranges::upper_bound(runs, source, {}, &Run::source);
  CAVS_ASSERT(next != runs.begin());
  const Run& run = *std::prev(next);
  CAVS_ASSERT(source < run.source + run.count);
  return static_cast<std::int32_t>(source - run.source + run.begin);
}

void PullRows::move(const Minibatch& minibatch, std::int32_t type) {
  const std::vector<IndexRequest>& requests = program_.types[type].indices;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool of_edges = requests[i].kind == IndexKind::kPullEdgeRow;
    if (!of_edges && requests[i].kind != IndexKind::kPullRow) continue;
    if (!of_edges && minibatch.bound->is_run_port(requests[i].port)) continue;
    const Runs& runs = of_edges ? slots_ : vertices_;
    move_shifts(runs, type, i, requests[i].listed_by());
    move_list(runs, plan_.types[type].indices[i]);
  }
}

/// Replaces the data set's row numbers in a list by the copy's. A list that several steps share is changed once.
void PullRows::move_list(const Runs& runs, Slice list) {
  if (list.count == 0 || std::exchange(is_moved_[list.begin], 1) != 0) return;
  for (std::int32_t r = list.begin; r < list.begin + list.count; ++r)
    if (std::int32_t& row = plan_.rows[r]; row >= 0) row = moved(runs, row);
}

/// Adjusts the shifts of steps that read consecutive rows (row = vertex + shift); a shared shift is adjusted once.
void PullRows::move_shifts(const Runs& runs, std::int32_t type, std::size_t index, DomainId domain) {
  for (const Step& step : plan_.steps) {
    if (step.type != type) continue;
    const std::int32_t at = step.ranges.begin + 2 * plan_.types[type].domains() + static_cast<std::int32_t>(index);
    if (std::exchange(is_moved_[at], 1) != 0) continue;
    std::int32_t& shift = plan_.rows[at];
    const RowRange range = plan_.range(step, domain);
    if (shift != kNoRun && range.begin < range.end) shift = moved(runs, range.begin + shift) - range.begin;
  }
}

void PullRows::copy(const Minibatch& minibatch, float* to) const {
  for (std::size_t port = 0; port < program_.float_ports.size(); ++port) {
    if (begin_[port] == begin_[port + 1]) continue;
    const std::int64_t width = program_.float_ports[port].width;
    const float* const from = minibatch.bound->float_port(static_cast<std::int32_t>(port));
    for (const Run& run : is_of_edges(minibatch, port) ? slots_ : vertices_)
      std::copy_n(from + run.source * width, run.count * width, to + begin_[port] + run.begin * width);
  }
}

}  // namespace cavs::cuda
