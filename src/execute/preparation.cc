#include <algorithm>
#include <chrono>
#include <utility>

#include "execute/run_state.h"

namespace cavs::inline v0_1 {

Preparation::Preparation(const Program& program, std::unique_ptr<Policy> policy)
    : policy_(std::move(policy)), planner_(program) {}

void Preparation::start(Run::State& state, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                        std::uint32_t epoch, KeptStates kept) {
  samples_.assign(samples.begin(), samples.end());
  state.batch.dropout_epoch = epoch;
  state.statistics = {};
  state.batch.minibatch.clear(graphs, kept.rows());
  state.batch.inputs.kept = std::move(kept);
  state.batch.inputs.pulls.assign(graphs.program().float_ports.size(), nullptr);
  error_ = nullptr;
  phase_ = Phase::kPack;
  engine_began_ = false;
  graphs_ = &graphs;
  state_ = &state;  // set last, so that it stays unset if an allocation above fails
}

bool Preparation::is_for(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) const {
  return state_ != nullptr && graphs_ == &graphs && state_->batch.dropout_epoch == epoch &&
         std::equal(samples.begin(), samples.end(), samples_.begin(), samples_.end());
}

/// Packs a slice of many samples, since every slice reads the clock twice. Returns true if all samples are packed.
bool Preparation::pack_slice() {
  constexpr std::int32_t kVertices = 512;
  Minibatch& m = state_->batch.minibatch;
  const std::int32_t first = m.vertices();
  while (m.samples.size() < samples_.size() && m.vertices() < first + kVertices) m.add(samples_[m.samples.size()]);
  return m.samples.size() == samples_.size();
}

bool Preparation::advance() {
  if (phase_ == Phase::kDone) return false;
  const auto start = std::chrono::steady_clock::now();
  RunStatistics& statistics = state_->statistics;
  double* spent = &statistics.pack_ms;
  Phase next = phase_;
  try {
    switch (phase_) {
      case Phase::kPack:
        if (pack_slice()) next = Phase::kSchedule;
        break;
      case Phase::kSchedule:
        spent = &statistics.schedule_ms;
        statistics.fallbacks = -policy_->fallbacks();
        make_schedule(state_->batch.minibatch, *policy_, scheduler_, state_->batch.schedule);
        statistics.fallbacks += policy_->fallbacks();
        next = Phase::kPlan;
        break;
      case Phase::kPlan:
        spent = &statistics.plan_ms;
        planner_.make(state_->batch.minibatch, state_->batch.schedule, state_->batch.plan);
        next = Phase::kEngine;
        break;
      case Phase::kEngine:
        spent = &statistics.script_ms;
        // Without an engine (when only a plan is made), there is nothing more to prepare.
        if (state_->run == nullptr || !state_->run->prepare(state_->batch, !engine_began_)) next = Phase::kDone;
        engine_began_ = true;
        break;
      case Phase::kDone:
        break;
    }
  } catch (...) {  // the worker that runs the slice must not throw; finish() rethrows the exception
    error_ = std::current_exception();
    next = Phase::kDone;
  }
  phase_ = next;
  *spent += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return phase_ != Phase::kDone;
}

void Preparation::finish() {
  while (advance()) {
  }
  if (error_) std::rethrow_exception(error_);
}

}  // namespace cavs::inline v0_1
