#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/plan.h"
#include "support/check.h"

namespace cavs {
namespace {

/// How many numbers there can be in the rows of a distinct domain: rows of the tables that they are looked up in.
std::int32_t numbers_of(const Program& program, const TypeProgram& type, const Domain& domain) {
  std::int32_t numbers = 0;
  for (const Node& node : type.function.nodes)
    if (node.is(OpId::kLookup) && node.domain == domain)
      for (const ParameterInfo& table : program.parameters)
        if (table.name == node.attribute_name()) numbers = std::max(numbers, table.shape.dims[0]);
  return numbers;
}

bool has_edge_rows(const TypeProgram& type) {
  const auto by_edge = [](const auto& x) { return x.domain == kEdgeRows; };
  bool any = false;
  each_code(type, [&](const Code& code, bool, Stage) {
    for (const Instruction& i : code) any = any || by_edge(i) || std::any_of(i.in.begin(), i.in.end(), by_edge);
  });
  return any || std::any_of(type.tensors.begin(), type.tensors.end(), by_edge) ||
         std::any_of(type.indices.begin(), type.indices.end(), [](const auto& i) { return i.by_edge(); });
}

/// What is added to a row number in [begin, end) to get what is listed for it, where that is the same for all.
std::int32_t run_shift(const std::int32_t* list, std::int32_t begin, std::int32_t end) {
  if (begin == end || list[begin] < 0) return kNoRun;
  const std::int32_t shift = list[begin] - begin;
  if (list[end - 1] != end - 1 + shift) return kNoRun;  // most that are none end here, without a loop
  std::int32_t differences = 0;
  for (std::int32_t r = begin; r < end; ++r) differences |= list[r] ^ (r + shift);
  return differences == 0 ? shift : kNoRun;
}

/// The lists that a stage of F and ∂F reads rows through, where each has one entry a row of its domain.
std::vector<std::int32_t> lists_read(const TypeProgram& type, Stage stage) {
  std::vector<char> reads(type.indices.size());
  for (const bool backward : {false, true})
    each_instruction(type.at(backward, stage), [&](const Instruction& i) {
      for (const Operand& o : i.in)
        if (o.index >= 0) reads[o.index] = 1;
    });
  std::vector<std::int32_t> lists;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const DomainId d = type.indices[i].listed_by();
    const bool distinct = d >= kPartialRows && type.partial_domains[d - kPartialRows].kind == DomainKind::kDistinct;
    if (reads[i] != 0 && !distinct) lists.push_back(static_cast<std::int32_t>(i));
  }
  return lists;
}

/// The types from the first that scatters a state to the last: what others have as rows nobody writes or reads.
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

Planner::Planner(const Program& program, Streaming streaming, int workers)
    : program_(program),
      streaming_(streaming),
      side_by_side_(program, workers),
      ports_(program.types.size()),
      stamps_(program.parameters.size()) {
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program.types.size()); ++t) {
    const TypeProgram& type = program.types[t];
    uses_edges_.push_back(has_edge_rows(type) ? 1 : 0);
    auto& lists = lists_read_.emplace_back();
    for (std::size_t s = 0; s < lists.size(); ++s) lists[s] = lists_read(type, static_cast<Stage>(s));
    for (const Domain& domain : type.partial_domains)
      ports_[t].push_back({domain.port, domain.kind == DomainKind::kDistinct, numbers_of(program, type, domain)});
    port_of_index_.emplace_back();
    for (const IndexRequest& request : type.indices) port_of_index_[t].push_back(port_number(t, request));
  }
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(program.states.size()); ++s)
    scattered_by_.push_back(scattered_by(program, s));
}

/// The port that a list of rows is made from, -1 for none.
std::int32_t Planner::port_number(std::int32_t type, const IndexRequest& request) {
  if (request.port.empty() || request.kind == IndexKind::kPullRow) return -1;
  if (request.domain >= kPartialRows) return request.domain - kPartialRows;
  auto& ports = ports_[type];
  const auto it = std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == request.port; });
  const auto number = static_cast<std::int32_t>(it - ports.begin());
  if (it == ports.end()) ports.push_back({request.port});
  return number;
}

void Planner::make(const Minibatch& minibatch, const Schedule& schedule, Plan& plan) {
  minibatch_ = &minibatch, schedule_ = &schedule, plan_ = &plan;
  identity_ = {};
  plan.rows.clear(), plan.steps.clear(), plan.chunks.clear();
  plan.samples = static_cast<std::int32_t>(minibatch.samples.size());
  plan.types.resize(program_.types.size());
  plan.type_begin.assign(schedule.type_begin.begin(), schedule.type_begin.end());
  plan_sources();
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(program_.types.size()); ++t) plan_type(t);
  plan_random();
  plan.one_parent.assign(program_.states.size(), 0);
  plan_steps();
  const auto share_out = [&](bool backward) { return side_by_side_.share_out(minibatch, schedule, backward, plan); };
  if (streaming_ == Streaming::kOn || !share_out(false)) plan_chunks();
  if (program_.options.training) {
    share_out(true);
    plan_gathers();
    plan_lookups();
  }
  plan_memory();
}

void Planner::plan_sources() {
  const Minibatch& m = *minibatch_;
  source_.resize(m.vertices());
  for (std::int32_t k = 0; k < plan_->samples; ++k) {
    const std::int64_t shift = m.source(k, 0);
    for (std::int32_t v = m.vertex_begin[k]; v < m.vertex_begin[k + 1]; ++v) source_[schedule_->row[v]] = shift + v;
  }
}

Slice Planner::new_slice(std::int64_t count) {
  const std::size_t begin = plan_->rows.size();
  user_check(begin + static_cast<std::size_t>(count) <= std::numeric_limits<std::int32_t>::max(),
             "the plan of a minibatch of {} vertices has more than 2^31 rows; try a smaller --batch-size",
             minibatch_->vertices());
  plan_->rows.resize(begin + static_cast<std::size_t>(count));
  return {static_cast<std::int32_t>(begin), static_cast<std::int32_t>(count)};
}

/// A list that says of every row its own number; all of them share one.
Slice Planner::identity(std::int32_t count) {
  if (identity_.count < count) {
    const auto& largest = *std::max_element(minibatch_->type_count.begin(), minibatch_->type_count.end());
    identity_ = new_slice(largest + 1);
    std::iota(at(identity_), at(identity_) + identity_.count, 0);
  }
  return {identity_.begin, count};
}

/// Rows of `domain` that come before vertex row `row`.
std::int32_t Planner::domain_row(std::int32_t type, DomainId domain, std::int32_t row) const {
  if (domain == kParameterRows) return row > 0 ? 1 : 0;
  if (domain == kVertexRows) return row;
  if (domain == kEdgeRows && uses_edges_[type] == 0) return 0;
  const Slice slice = domain == kEdgeRows ? plan_->types[type].segments : ports_[type][domain - kPartialRows].before;
  return plan_->rows[slice.begin + row];
}

/// Of rows [begin, end) of its type, where there are any, and anything to do.
void Planner::add_step(Step step, std::int32_t begin, std::int32_t end) {
  const TypeProgram& program = program_.types[step.type];
  if (begin == end || program.at(step.backward, step.stage).empty() || minibatch_->is_given(step.type)) return;
  const CodeCost& cost = program.cost_at(step.backward, step.stage);
  Slice own, &ranges = step.task < 0 ? own : task_ranges_[step.task];  // a task of F and ∂F has one
  if (ranges.count == 0) ranges = plan_ranges(step.type, step.stage, begin, end);
  step.ranges = ranges;
  step.flops = flops(cost, step.ranges);
  if (is_small(cost, step.flops)) step.worker = 0;
  plan_->steps.push_back(step);
}

/// Rows of every domain that belong to vertex rows [begin, end), and which lists are runs there.
Slice Planner::plan_ranges(std::int32_t type, Stage stage, std::int32_t begin, std::int32_t end) {
  const auto& indices = plan_->types[type].indices;
  const auto domains = static_cast<std::int32_t>(kPartialRows + program_.types[type].partial_domains.size());
  const Slice ranges = new_slice(2 * domains + static_cast<std::int64_t>(indices.size()));
  for (DomainId d = 0; d < domains; ++d) {
    at(ranges)[2 * d] = d == kParameterRows ? 0 : domain_row(type, d, begin);
    at(ranges)[2 * d + 1] = d == kParameterRows ? 1 : domain_row(type, d, end);
  }
  std::int32_t* const shifts = at(ranges) + 2 * domains;
  std::fill_n(shifts, indices.size(), kNoRun);
  for (const std::int32_t i : lists_read_[type][static_cast<int>(stage)]) {
    const std::int32_t* range = at(ranges) + 2 * program_.types[type].indices[i].listed_by();
    shifts[i] = run_shift(at(indices[i]), range[0], range[1]);
  }
  return ranges;
}

double Planner::flops(const CodeCost& cost, Slice ranges) const {
  double sum = 0;
  for (std::size_t d = 0; d < cost.flops.size(); ++d) {
    const std::int32_t* range = plan_->rows.data() + ranges.begin + 2 * d;
    sum += cost.flops[d] * (range[1] - range[0]);
  }
  return sum;
}

bool is_small(const CodeCost& cost, double flops, double factor) {
  return !cost.needs_team && flops < factor * kFlopsInAWait * cost.waits;
}

void Planner::plan_steps() {
  const auto types = static_cast<std::int32_t>(program_.types.size());
  const auto everywhere = [&](bool backward, Stage stage) {
    for (std::int32_t t = 0; t < types; ++t) add_step({t, backward, stage}, 0, plan_->types[t].vertices);
  };
  const auto add_task = [&](std::int32_t number, bool backward) {
    const Task& task = schedule_->tasks[number];
    add_step({.type = task.type, .backward = backward, .stage = Stage::kTask, .task = number}, task.begin, task.end);
  };
  const auto tasks = static_cast<std::int32_t>(schedule_->tasks.size());
  task_ranges_.assign(tasks, {});
  everywhere(false, Stage::kEager);
  for (std::int32_t t = 0; t < tasks; ++t) add_task(t, false);
  everywhere(false, Stage::kLazy);
  if (!program_.options.training) return;
  everywhere(true, Stage::kEager);
  for (std::int32_t t = tasks; t-- > 0;) add_task(t, true);  // the paper's stack, popped
  everywhere(true, Stage::kLazy);
}

}  // namespace cavs
