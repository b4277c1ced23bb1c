#include "cavs/session.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "schedule/resolve_policy.h"
#include "support/available_memory.h"
#include "support/bytes.h"
#include "support/check.h"
#include "support/suggest.h"
#include "tensor/check_parameters.h"

namespace cavs {
namespace {

/// bf16 where it is asked for and can run; else fp32, which Session::precision tells.
cpu::Precision precision_of(const SessionOptions& options) {
  const bool bf16 = options.precision == "bf16" && !cpu::bf16_instruction_set().empty();
  return bf16 ? cpu::Precision::kBf16 : cpu::Precision::kFp32;
}

const SessionOptions& checked(const SessionOptions& options) {
  user_check(options.threads >= 1 && options.threads <= 1024, "threads is {}; expected 1 to 1024", options.threads);
  const std::vector<std::string_view> engines{"batched", "reference"};
  user_check(std::find(engines.begin(), engines.end(), options.engine) != engines.end(), "unknown engine '{}'; {}",
             options.engine, suggest(options.engine, engines));
  const std::vector<std::string_view> precisions{"fp32", "bf16"};
  user_check(std::find(precisions.begin(), precisions.end(), options.precision) != precisions.end(),
             "unknown precision '{}'; {}", options.precision, suggest(options.precision, precisions));
  const std::vector<std::string_view> streaming{"auto", "on", "off"};
  user_check(std::find(streaming.begin(), streaming.end(), options.streaming) != streaming.end(),
             "unknown streaming '{}'; {}", options.streaming, suggest(options.streaming, streaming));
  return options;
}

/// Streaming needs two workers, and (unless it is asked for) a processor for each.
Streaming streaming_of(const SessionOptions& options, const Team& team) {
  if (options.streaming == "off" || team.size() == 1) return Streaming::kOff;
  if (options.streaming == "on") return Streaming::kOn;
  return team.is_crowded() ? Streaming::kOff : Streaming::kAuto;
}

std::shared_ptr<const Program> given(std::shared_ptr<const Program> program) {
  user_check(program != nullptr, "the session was given no program; expected what compile() returns");
  return program;
}

/// The values, if they are of the program's parameters.
std::shared_ptr<Parameters> belonging(std::shared_ptr<Parameters> values, const Program& program) {
  user_check(values != nullptr, "the session was given no parameters; expected those of the model that was compiled");
  const std::string difference = first_difference(*values->list(), program.parameters);
  user_check(
      difference.empty(),
      "the parameters given to the session are not those of its program: {}; give it those of the model that was "
      "compiled (Model::make_parameters)",
      difference);
  return values;
}

}  // namespace

std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program, const GraphSet& graphs) {
  auto* bound = new BoundGraphs(*program, graphs);
  return {bound, [program](const BoundGraphs* b) { delete b; }};
}

Session::Impl::Impl(std::shared_ptr<const Program> p, std::shared_ptr<Parameters> values, const SessionOptions& o,
                    std::shared_ptr<Packs> packs)
    : program(given(std::move(p))),
      parameters(belonging(std::move(values), *program)),
      parameter_list(parameters->list()),
      options(checked(o)),
      team(o.threads),
      precision(precision_of(o)),
      executor(program, parameters, team, o, precision,
               packs ? std::move(packs) : std::make_shared<Packs>(*program, precision)),
      weight_rows(*program, parameters, executor, team.size()),
      preparation(*program, resolve_policy(o.policy, o.learned.get(), *program), streaming_of(o, team), team.size(),
                  o.order_rows) {}

Run::State& Session::Impl::free_state() {
  for (auto& state : states)
    if (!state->open && state.get() != preparation.state()) return *state;
  states.push_back(std::make_unique<Run::State>());
  states.back()->session = this;
  return *states.back();
}

void Session::Impl::reserve(Run::State& state) {
  Execution& run = state.execution;
  const std::int64_t tiles = executor.tile_bytes(run.plan), bytes = run.plan.bytes() + tiles;
  if (run.plan.arena <= run.capacity && tiles <= tile_bytes) return;
  const auto held = static_cast<std::int64_t>(run.capacity * sizeof(float)) + tile_bytes;
  const std::int64_t limit = options.memory_limit > 0 ? options.memory_limit : (available_memory() + held) / 10 * 9;
  user_check(bytes <= limit,
             "a minibatch of {} samples with {} vertices needs {}, the limit is {}; largest: {}; try a "
             "smaller batch or hidden size",
             run.plan.samples, state.minibatch.vertices(), format_bytes(bytes), format_bytes(limit),
             describe_memory(*program, run.plan, tiles));
  if (run.plan.arena > run.capacity) {
    run.arena.reset(), run.capacity = 0;  // stays so where the new one can't be had
    run.arena = cpu::aligned_floats(static_cast<std::size_t>(run.plan.arena));
    run.capacity = run.plan.arena;
  }
  tile_bytes = std::max(tile_bytes, tiles);
}

void Session::Impl::sum_loss(Run::State& state) const {
  const Plan& plan = state.execution.plan;
  state.loss_sum = 0;
  for (std::size_t t = 0; t < program->types.size(); ++t)
    for (const Loss& loss : program->types[t].losses) {
      const float* values = executor.base(state.execution, static_cast<std::int32_t>(t), loss.operand);
      const std::int32_t* labels =
          loss.labels < 0 ? nullptr : plan.rows.data() + plan.types[t].indices[loss.labels].begin;
      // By vertex, so that the sum does not depend on the policy.
      for (std::int32_t v = 0; v < state.minibatch.vertices(); ++v) {
        if (state.minibatch.types[v] != static_cast<std::int32_t>(t)) continue;
        const std::int32_t row = state.schedule.row[v] - plan.type_begin[t];
        if (labels != nullptr && labels[row] < 0) continue;
        state.loss_sum += values[static_cast<std::int64_t>(row) * loss.operand.stride];
      }
    }
}

Session::Session(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(program), std::move(parameters), options)) {}

Session::Session(const Session& other, SessionOptions options) {
  const Impl& of = *other.impl_;
  user_check(!of.program->options.training,
             "sessions share packed weights only in inference; compile the program with training off");
  user_check(precision_of(checked(options)) == of.precision,
             "the session asks for precision {}, the one whose packed weights it shares runs in {}; expected the same",
             options.precision, other.precision());
  impl_ = std::make_unique<Impl>(of.program, of.parameters, options, of.executor.packs());
}

Session::~Session() = default;

int Session::threads() const { return impl_->team.size(); }

std::string_view Session::precision() const { return impl_->precision == cpu::Precision::kBf16 ? "bf16" : "fp32"; }

void Session::parallel(const std::function<void(int, int)>& f) {
  impl_->team.run([&](int worker) { f(worker, impl_->team.size()); });
}

ParameterRows& Session::begin_update() {
  impl_->weight_rows.begin(nullptr);
  return impl_->weight_rows;
}

ParameterRows& Session::begin_update(Run& run, const Gradients& gradients) {
  user_check(run.state_ != nullptr && run.state_->session == impl_.get() &&
                 run.state_->execution.deferred.number == gradients.deferred_by,
             "the update has gradients that another backward deferred; give it the run whose backward was the last to "
             "write them, and the session of that run");
  impl_->weight_rows.begin(&run.state_->execution);
  return impl_->weight_rows;
}

void Session::end_update() { impl_->weight_rows.finish(); }

void Session::Impl::check_bound(const BoundGraphs& graphs) const {
  user_check(&graphs.program() == program.get(), "the graphs are bound to another program; bind them to this one");
}

Run::State& Session::Impl::prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                                   std::uint32_t epoch) {
  check_bound(graphs);
  check_parameters(parameters->list(), parameter_list, "the parameters that the session was given",
                   "leave them where they are as long as there is a session");
  user_check(!samples.empty(), "the minibatch is empty; expected at least one sample");
  team.set_slack(nullptr);
  if (!preparation.is_for(graphs, samples, epoch)) {
    preparation.drop();
    preparation.start(free_state(), graphs, samples, epoch);
  }
  Run::State& state = *preparation.state();
  try {
    preparation.finish();
    preparation.drop();
    reserve(state);
  } catch (...) {
    preparation.drop();
    throw;
  }
  return state;
}

std::int64_t Session::memory(const BoundGraphs& graphs, std::span<const std::int32_t> samples) {
  impl_->check_bound(graphs);
  user_check(!samples.empty(), "the minibatch is empty; expected at least one sample");
  impl_->team.set_slack(nullptr);
  impl_->preparation.drop();
  Run::State& state = impl_->free_state();
  impl_->preparation.start(state, graphs, samples, 0);
  impl_->preparation.finish();
  impl_->preparation.drop();
  return state.execution.plan.bytes() + impl_->executor.tile_bytes(state.execution.plan);
}

void Session::prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) {
  impl_->check_bound(graphs);
  if (impl_->team.size() == 1 || samples.empty()) return;
  impl_->team.set_slack(nullptr);
  impl_->preparation.drop();
  impl_->preparation.start(impl_->free_state(), graphs, samples, epoch);
  impl_->team.set_slack([preparation = &impl_->preparation] { return preparation->advance(); });
}

Run Session::forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) {
  Run::State& state = impl_->prepare(graphs, samples, epoch);
  state.open = true;
  Run run(&state);
  Execution& execution = state.execution;
  execution.minibatch = &state.minibatch;
  execution.loss_gradient = 1.0F / static_cast<float>(state.minibatch.samples.size());
  execution.seconds = {};
  state.labels = state.minibatch.labels;
  execution.deferred.number = 0;
  execution.went_back = false;
#ifndef NDEBUG  // what is read before it is written shows as not a number
  std::fill_n(execution.arena.get(), execution.capacity, std::numeric_limits<float>::quiet_NaN());
#endif
  if (impl_->options.engine == "reference") {
    state.reference = std::make_unique<ReferenceRun>(
        *impl_->program, *impl_->parameters, state.minibatch, impl_->options.seed, epoch,
        impl_->precision == cpu::Precision::kBf16 ? Precision::kBf16 : Precision::kDouble);
    state.reference->forward();
    state.loss_sum = state.reference->loss_sum();
    return run;
  }
  const auto start = std::chrono::steady_clock::now();
  impl_->executor.forward(execution);
  impl_->sum_loss(state);
  impl_->account(state, start);
  return run;
}

void Session::Impl::account(Run::State& state, std::chrono::steady_clock::time_point start) const {
  RunStatistics& s = state.statistics;
  const double all = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  const double memory = state.execution.seconds[static_cast<int>(TimeKind::kMemory)] * 1e3;  // since forward began
  s.compute_ms += all - (memory - s.memory_ms);
  s.memory_ms = memory;
  s.vertices = state.minibatch.vertices();
  s.edges = state.minibatch.edges;
  s.streamed_rows = state.execution.streamed_rows;
  s.tasks = static_cast<std::int64_t>(state.schedule.tasks.size());
  if (options.profile) executor.count(state.execution.plan, s.instructions, s.bytes_moved, s.flops);
}

}  // namespace cavs
