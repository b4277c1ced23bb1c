#include "execute/batched/batched_run.h"

#include <algorithm>
#include <limits>

#include "execute/batched/profile.h"
#include "support/check.h"

namespace cavs::inline v0_1 {

BaseOf BatchedRun::base() const {
  return [this](std::int32_t type, const Operand& o, Slice) { return engine_.view(execution_, type).base(o); };
}

bool BatchedRun::prepare(const PreparedBatch& batch, bool) {
  engine_.prepare(execution_, batch);
  return false;
}

bool BatchedRun::fits(const PreparedBatch& batch) const {
  return batch.plan.arena <= execution_.capacity && engine_.tile_bytes(batch.plan) <= engine_.tile_bytes();
}

std::int64_t BatchedRun::bytes(const PreparedBatch& batch) const {
  return batch.plan.bytes() + engine_.tile_bytes(batch.plan);
}

std::int64_t BatchedRun::held_bytes() const {
  return static_cast<std::int64_t>(execution_.capacity * sizeof(float)) + engine_.tile_bytes();
}

void BatchedRun::reserve(const PreparedBatch& batch) {
  if (batch.plan.arena > execution_.capacity) {
    execution_.arena.reset();
    execution_.capacity = 0;  // stays 0 if the allocation fails
    execution_.arena = cpu::aligned_floats(static_cast<std::size_t>(batch.plan.arena));
    execution_.capacity = batch.plan.arena;
  }
  engine_.tile_bytes() = std::max(engine_.tile_bytes(), engine_.tile_bytes(batch.plan));
}

void BatchedRun::begin(const PreparedBatch& batch, float loss_gradient) {
  execution_.batch = &batch;
  execution_.loss_gradient = loss_gradient;
  execution_.memory_seconds = 0;
  execution_.deferred.number = 0;
  execution_.progress = nullptr;
#ifndef NDEBUG  // so that a value that is read before it is written is NaN
  std::fill_n(execution_.arena.get(), execution_.capacity, std::numeric_limits<float>::quiet_NaN());
#endif
}

void BatchedRun::forward(const PreparedBatch& batch, float loss_gradient) {
  begin(batch, loss_gradient);
  engine_.forward(execution_);
}

std::optional<TrainedStep> BatchedRun::train(const PreparedBatch& batch, float loss_gradient,
                                             const UpdateRequest& request) {
  const auto takes_pushes = [](const TypeProgram& type) { return !type.push_gradients.empty(); };
  if (std::ranges::any_of(engine_.program().types, takes_pushes)) return std::nullopt;
  begin(batch, loss_gradient);
  return engine_.train(execution_, request, [&] { return loss_sum(batch); });
}

double BatchedRun::loss_sum(const PreparedBatch& batch) const { return sum_losses(engine_.program(), batch, base()); }

void BatchedRun::backward(const PreparedBatch& batch, Gradients& gradients, std::span<const Run::PushGradient> pushes,
                          bool defer_weights) {
  const auto to_write = [this](std::int32_t type, const Operand& o, Slice) {
    return engine_.view(execution_, type).written(o);
  };
  for (const TypeProgram& type : engine_.program().types)
    for (const Output& output : type.push_gradients) {
      const auto given = std::ranges::find(pushes, output.port, &Run::PushGradient::port);
      each_row(engine_.program(), batch, &TypeProgram::push_gradients, output.port, batch.minibatch.all_vertices(),
               to_write, [&](std::size_t v, float* first, const Output& o, std::int64_t row) {
                 float* const to = first + row * o.operand.stride;
                 const std::int64_t w = o.operand.width;
                 if (given == pushes.end())
                   std::fill_n(to, w, 0.0F);
                 else
                   std::copy_n(given->values.data() + static_cast<std::int64_t>(v) * w, w, to);
               });
    }
  engine_.backward(execution_, gradients, defer_weights);
}

void BatchedRun::rows(const PreparedBatch& batch, PortKind kind, const std::string& port,
                      std::span<const std::int32_t> vertices, std::span<const float*> rows) {
  find_rows(engine_.program(), batch, kind, port, vertices, base(), rows);
}

std::string BatchedRun::find_not_finite(const PreparedBatch& batch) const {
  return cavs::find_not_finite(engine_.program(), batch, base(), execution_.ran_backward);
}

void BatchedRun::count(const PreparedBatch& batch, RunStatistics& s) const {
  s.memory_ms = execution_.memory_seconds * 1e3;
  s.streamed_rows = execution_.streamed_rows;
  if (!engine_.profiles()) return;
  s.loaded_weight_bytes = execution_.loaded.bytes;
  s.loaded_task_weight_bytes = execution_.loaded.task_bytes;
  count_plan(engine_.program(), batch.plan, s);
}

}  // namespace cavs::inline v0_1
