#include "execute/batched/batched_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "execute/batched/profile.h"
#include "support/check.h"

namespace cavs {
namespace {

using Outputs = std::vector<Output> TypeProgram::*;

/// The first number that is not finite in rows [begin, end) of an operand: row and value.
std::optional<std::pair<std::int32_t, float>> first_not_finite(const float* base, const Operand& o, std::int32_t begin,
                                                               std::int32_t end) {
  for (std::int32_t r = begin; r < end; ++r)
    for (std::int32_t c = 0; c < o.width; ++c)
      if (const float x = base[std::int64_t{r} * o.stride + c]; !std::isfinite(x)) return std::pair{r, x};
  return {};
}

bool is_kept(const TypeProgram& type, const Plan& plan, const Operand& o) {
  if (o.kind != StorageKind::kTensor) return o.kind == StorageKind::kState;
  return type.tensors[o.id].spans_tasks && !plan.is_view(type.tensors[o.id]);
}

/// The same by a list of the plan, which there is of all rows but those of ports that nothing reads by vertex.
std::optional<std::int32_t> listed_vertex(const TypeProgram& type, const Plan& plan, std::int32_t number,
                                          DomainId domain, std::int32_t row) {
  const Plan::Type& lists = plan.types[number];
  const bool distinct = type.partial_domains[domain - kPartialRows].kind == DomainKind::kDistinct;
  for (std::size_t i = 0; i < type.indices.size(); ++i) {
    const IndexRequest& request = type.indices[i];
    const Slice list = lists.indices[i];
    const std::int32_t* rows = plan.rows.data() + list.begin;
    if (request.domain != domain || list.count == 0) continue;
    if (request.kind == IndexKind::kVertexPartial)
      if (const auto* const at = std::find(rows, rows + list.count, row); at != rows + list.count)
        return static_cast<std::int32_t>(at - rows);
    if (request.kind == IndexKind::kPartialVertex)
      return rows[distinct ? plan.rows[lists.equal[domain - kPartialRows].begin + row] : row];
  }
  return {};
}

/// The (first) vertex of the minibatch that has a row of a domain.
std::int32_t vertex_of(const Program& program, const PreparedBatch& s, std::int32_t type, DomainId domain,
                       std::int32_t row) {
  const std::int32_t* vertex = s.schedule.vertex.data() + s.schedule.type_begin[type];
  if (domain == kVertexRows) return vertex[row];
  if (const auto listed = listed_vertex(program.types[type], s.plan, type, domain, row)) return vertex[*listed];
  const Domain& partial = program.types[type].partial_domains[domain - kPartialRows];
  const auto& values = s.minibatch.bound->index_port(partial.port);
  std::set<std::int32_t> seen;
  for (;; ++vertex) {
    const std::int32_t number = values[s.minibatch.source(s.minibatch.position_of(*vertex), *vertex)];
    const bool has_row = number >= 0 && (partial.kind != DomainKind::kDistinct || seen.insert(number).second);
    if (has_row && row-- == 0) return *vertex;
  }
}

}  // namespace

/// Calls copy(vertex, base of the type's rows, output, row) for the vertices of all types that have the output.
template <typename Copy>
void BatchedRun::each_row(const PreparedBatch& batch, Outputs outputs, const std::string& port, Copy copy) const {
  const auto& types = engine_.program().types;
  std::vector<const Output*> output_of;
  std::vector<const float*> base_of;
  for (const TypeProgram& type : types) {
    const auto t = static_cast<std::int32_t>(output_of.size());
    output_of.push_back(batch.minibatch.type_count[t] == 0 ? nullptr : find_output(type.*outputs, port));
    base_of.push_back(output_of[t] == nullptr ? nullptr
                                              : engine_.executor().base(execution_, t, output_of[t]->operand));
  }
  for (std::int32_t v = 0; v < batch.minibatch.vertices(); ++v) {
    const std::int32_t t = batch.minibatch.types[v];
    if (output_of[t] == nullptr) continue;
    copy(v, base_of[t], *output_of[t], std::int64_t{batch.schedule.row[v]} - batch.plan.type_begin[t]);
  }
}

bool BatchedRun::fits(const PreparedBatch& batch) const {
  return batch.plan.arena <= execution_.capacity && engine_.executor().tile_bytes(batch.plan) <= engine_.tile_bytes();
}

std::int64_t BatchedRun::bytes(const PreparedBatch& batch) const {
  return batch.plan.bytes() + engine_.executor().tile_bytes(batch.plan);
}

std::int64_t BatchedRun::held_bytes() const {
  return static_cast<std::int64_t>(execution_.capacity * sizeof(float)) + engine_.tile_bytes();
}

void BatchedRun::reserve(const PreparedBatch& batch) {
  if (batch.plan.arena > execution_.capacity) {
    execution_.arena.reset(), execution_.capacity = 0;  // stays so where the new one can't be had
    execution_.arena = cpu::aligned_floats(static_cast<std::size_t>(batch.plan.arena));
    execution_.capacity = batch.plan.arena;
  }
  engine_.tile_bytes() = std::max(engine_.tile_bytes(), engine_.executor().tile_bytes(batch.plan));
}

void BatchedRun::begin(const PreparedBatch& batch, float loss_gradient) {
  execution_.batch = &batch;
  execution_.loss_gradient = loss_gradient;
  execution_.seconds = {};
  execution_.deferred.number = 0;
#ifndef NDEBUG  // what is read before it is written shows as not a number
  std::fill_n(execution_.arena.get(), execution_.capacity, std::numeric_limits<float>::quiet_NaN());
#endif
}

void BatchedRun::forward(const PreparedBatch& batch, float loss_gradient) {
  begin(batch, loss_gradient);
  engine_.executor().forward(execution_);
}

Trained BatchedRun::train(const PreparedBatch& batch, float loss_gradient, Gradients& gradients, bool defer,
                          UpdateShare& update, StepSeconds& seconds) {
  const auto takes_pushes = [](const TypeProgram& type) { return !type.push_gradients.empty(); };
  if (std::ranges::any_of(engine_.program().types, takes_pushes)) return Trained::kNothing;
  begin(batch, loss_gradient);
  return engine_.executor().train(execution_, gradients, defer, update, seconds) ? Trained::kAll : Trained::kGradients;
}

double BatchedRun::loss_sum(const PreparedBatch& batch) const {
  const std::vector<TypeProgram>& types = engine_.program().types;
  double sum = 0;
  for (std::size_t t = 0; t < types.size(); ++t)
    for (const Loss& loss : types[t].losses) {
      const float* values = engine_.executor().base(execution_, static_cast<std::int32_t>(t), loss.operand);
      const Slice list = loss.labels < 0 ? Slice{} : batch.plan.types[t].indices[loss.labels];
      const std::int32_t* labels = loss.labels < 0 ? nullptr : batch.plan.rows.data() + list.begin;
      if (loss.operand.domain >= kPartialRows) {
        for (std::int32_t k = 0; k < list.count; ++k)
          sum += values[static_cast<std::int64_t>(labels[k]) * loss.operand.stride];
        continue;
      }
      // By vertex, so that the sum does not depend on the policy.
      for (std::int32_t v = 0; v < batch.minibatch.vertices(); ++v) {
        if (batch.minibatch.types[v] != static_cast<std::int32_t>(t)) continue;
        const std::int32_t row = batch.schedule.row[v] - batch.plan.type_begin[t];
        if (labels != nullptr && labels[row] < 0) continue;
        sum += values[static_cast<std::int64_t>(row) * loss.operand.stride];
      }
    }
  return sum;
}

void BatchedRun::backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                          bool defer_weights) {
  for (const TypeProgram& type : engine_.program().types)
    for (const Output& output : type.push_gradients) {
      const auto given = std::ranges::find(pushes, output.port, &Run::PushGradient::port);
      each_row(batch, &TypeProgram::push_gradients, output.port,
               [&](std::int32_t v, const float* base, const Output& o, std::int64_t row) {
                 float* const to = const_cast<float*>(base) + row * o.operand.stride;
                 const std::int64_t w = o.operand.width;
                 if (given == pushes.end())
                   std::fill_n(to, w, 0.0F);
                 else
                   std::copy_n(given->values.data() + v * w, w, to);
               });
    }
  engine_.executor().backward(execution_, gradients, defer_weights);
}

void BatchedRun::rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                      std::span<const float*> rows) {
  each_row(batch, outputs_of(kind), port,
           [&](std::int32_t v, const float* base, const Output& output, std::int64_t row) {
             rows[v] = base + row * output.operand.stride;
           });
}

std::string BatchedRun::find_not_finite(const PreparedBatch& batch) const {
  const Program& program = engine_.program();
  const Plan& plan = batch.plan;
  std::string found;
  for (const Step& step : plan.steps) {
    if (step.backward && !execution_.went_back) continue;
    const TypeProgram& type = program.types[step.type];
    each_instruction(type.at(step.backward, step.stage), [&](const Instruction& i) {
      for (std::size_t o = 0; o < i.out.size() && found.empty(); ++o) {
        const Operand& out = i.out[o];
        if (!is_kept(type, plan, out) || out.domain == kParameterRows || out.domain == kEdgeRows) continue;
        const std::int32_t* range = plan.rows.data() + step.ranges.begin + 2 * out.domain;
        const float* base = engine_.executor().base(execution_, step.type, out);
        const auto bad = first_not_finite(base, out, range[0], range[1]);
        if (!bad) continue;
        const std::int32_t v = vertex_of(program, batch, step.type, out.domain, bad->first),
                           k = batch.minibatch.position_of(v);
        found = fmt::format("value {} of vertex function '{}' is {} at vertex {} of sample {}",
                            describe(type.function, i.values[o]), type.function.name, bad->second,
                            batch.minibatch.source(k, v) - batch.minibatch.source_begin(k), batch.minibatch.samples[k]);
      }
    });
    if (!found.empty()) break;
  }
  return found;
}

void BatchedRun::count(const PreparedBatch& batch, RunStatistics& s) const {
  s.memory_ms = execution_.seconds[static_cast<int>(TimeKind::kMemory)] * 1e3;
  s.streamed_rows = execution_.streamed_rows;
  if (!engine_.profiles()) return;
  const PlanCost cost = cost_of(engine_.program(), batch.plan, engine_.weights()->transposed_copies());
  s.loaded_weight_bytes = execution_.loaded.bytes, s.loaded_task_weight_bytes = execution_.loaded.task_bytes;
  s.instructions = cost.instructions, s.bytes_moved = cost.bytes_moved, s.flops = cost.flops;
  s.weight_bytes = cost.weight_bytes, s.weight_bytes_once = cost.weight_bytes_once;
}

}  // namespace cavs
