#include "cavs/session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compile/target.h"
#include "execute/engines.h"
#include "execute/run_state.h"
#include "execute/session_impl.h"
#include "plan/describe_memory.h"
#include "schedule/resolve_policy.h"
#include "support/bytes.h"
#include "support/check.h"
#include "tensor/check_parameters.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns checked options, with the device's default engine if the options name none.
SessionOptions checked(SessionOptions options) {
  user_check(options.threads >= 1 && options.threads <= 1024, "threads is {}; expected 1 to 1024", options.threads);
  options.engine = find_engine(options.engine, options.device.kind).engine;
  user_check(options.device.index >= 0 && (options.device.kind != DeviceKind::kCpu || options.device.index == 0),
             "device {} has number {}; expected {}", to_string(options.device.kind), options.device.index,
             options.device.kind == DeviceKind::kCpu ? "0, as there is one" : "0 or more");
  user_check(!options.check_scripts || options.device.kind == DeviceKind::kCuda,
             "check_scripts is on with device {}, whose engines have no scripts; switch it off, or use device cuda",
             to_string(options.device));
  return options;
}

std::shared_ptr<const Program> checked_program(std::shared_ptr<const Program> program) {
  user_check(program != nullptr, "the session was given no program; expected the result of compile()");
  return program;
}

/// Returns the program itself if the engine can run it, else the program compiled for the engine.
std::shared_ptr<const Program> runnable(const std::shared_ptr<const Program>& program, const SessionOptions& options) {
  const Target target = find_engine(options.engine, options.device.kind).def->target(program->target);
  return target == program->target ? program : compile(*program, target);
}

/// Returns `values`. @throws UserError if they do not belong to the program's parameters.
std::shared_ptr<Parameters> belonging(std::shared_ptr<Parameters> values, const Program& program) {
  user_check(values != nullptr, "the session was given no parameters; expected those of the compiled model");
  const std::string difference = first_difference(*values->list(), program.parameters);
  user_check(difference.empty(),
             "the parameters given to the session are not those of its program: {}; pass those of the compiled model "
             "(Model::make_parameters)",
             difference);
  return values;
}

}  // namespace

std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program, const GraphSet& graphs) {
  return bind_graphs(std::move(program), std::shared_ptr<const GraphSet>(std::shared_ptr<void>(), &graphs));
}

std::shared_ptr<const BoundGraphs> bind_graphs(std::shared_ptr<const Program> program,
                                               std::shared_ptr<const GraphSet> graphs,
                                               std::vector<std::string> run_ports) {
  user_check(program != nullptr && graphs != nullptr, "binding needs a program and graphs; found none");
  auto bound = std::make_unique<BoundGraphs>(*program, *graphs, std::move(run_ports));
  return std::shared_ptr<const BoundGraphs>(bound.release(), [program, graphs](const BoundGraphs* b) { delete b; });
}

Session::Impl::Impl(std::shared_ptr<const Program> p, std::shared_ptr<Parameters> values, const SessionOptions& o,
                    const Engine* sharing)
    : options(checked(o)),
      given(checked_program(std::move(p))),
      program(runnable(given, options)),
      parameters(belonging(std::move(values), *program)),
      parameter_list(parameters->list()),
      engine(find_engine(options.engine, options.device.kind).def->make({program, parameters, options, sharing})),
      preparation(*program, resolve_policy(o.policy, o.learned.get(), *program)) {}

Run::State& Session::Impl::free_state() {
  for (auto& state : states)
    if (!state->open && state.get() != preparation.state()) return *state;
  auto state = std::make_unique<Run::State>();
  state->session = this;
  state->run = engine->make_run();
  states.push_back(std::move(state));
  return *states.back();
}

void Session::Impl::reserve(Run::State& state) {
  EngineRun& run = *state.run;
  if (run.fits(state.batch)) return;
  const std::int64_t bytes = run.bytes(state.batch), held = run.held_bytes();
  const std::int64_t limit =
      options.memory_limit > 0 ? options.memory_limit : (engine->available_memory() + held) / 10 * 9;
  user_check(bytes <= limit,
             "a minibatch of {} samples with {} vertices needs {}, but the limit is {}; largest: {}; try a "
             "smaller batch or hidden size",
             state.batch.plan.samples, state.batch.minibatch.vertices(), format_bytes(bytes), format_bytes(limit),
             describe_memory(*program, state.batch.plan, bytes - state.batch.plan.bytes()));
  run.reserve(state.batch);
}

Session::Session(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, SessionOptions options)
    : impl_(std::make_shared<Impl>(std::move(program), std::move(parameters), options)) {}

Session::Session(const Session& other, SessionOptions options) {
  const Impl& of = *other.impl_;
  options = checked(std::move(options));
  user_check(!of.program->options.training,
             "sessions share packed weights only in inference; compile the program with training off");
  const auto check_same = [](std::string_view what, std::string_view ours, std::string_view theirs) {
    user_check(ours == theirs,
               "the session has {} {}, but the session whose weights it shares has {}; expected the same", what, ours,
               theirs);
  };
  check_same("device", to_string(options.device), to_string(of.options.device));
  check_same("engine", to_string(*options.engine), to_string(*of.options.engine));
  check_same("precision", to_string(options.precision), to_string(of.options.precision));
  impl_ = std::make_shared<Impl>(of.given, of.parameters, options, of.engine.get());
}

Session::~Session() = default;

int Session::threads() const { return impl_->options.threads; }
EngineKind Session::engine() const { return *impl_->options.engine; }
std::vector<std::string> Session::describe() const { return impl_->engine->describe(); }
DevicePeaks Session::peaks() const { return impl_->engine->peaks(); }
Precision Session::precision() const { return impl_->engine->precision(); }

void Session::Impl::check_bound(const BoundGraphs& graphs) const {
  user_check(&graphs.program() == given.get(), "the graphs are bound to another program; bind them to this one");
}

Run::State& Session::Impl::prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                                   std::uint32_t epoch, KeptStates kept) {
  check_bound(graphs);
  check_parameters(parameters->list(), parameter_list, "the parameters that the session was given",
                   "leave them where they are as long as there is a session");
  user_check(!samples.empty(), "the minibatch is empty; expected at least one sample");
  const auto start = std::chrono::steady_clock::now();
  // Only minibatches without kept states are prefetched.
  if (kept.type < 0 && preparation.is_for(graphs, samples, epoch)) {
    engine->finish_slack();
  } else {
    engine->set_slack(nullptr);
    preparation.drop();
    preparation.start(free_state(), graphs, samples, epoch, std::move(kept));
  }
  Run::State& state = *preparation.state();
  try {
    preparation.finish();
    preparation.drop();
    state.statistics.unprepared_ms = milliseconds_since(start);
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
  impl_->engine->set_slack(nullptr);
  impl_->preparation.drop();
  Run::State& state = impl_->free_state();
  impl_->preparation.start(state, graphs, samples, 0);
  impl_->preparation.finish();
  impl_->preparation.drop();
  return state.run->bytes(state.batch);
}

void Session::prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) {
  impl_->prefetch(graphs, samples, epoch);
}

void Session::Impl::prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch) {
  check_bound(graphs);
  if (samples.empty() || !engine->set_slack(nullptr)) return;
  preparation.drop();
  preparation.start(free_state(), graphs, samples, epoch);
  engine->set_slack([prepared = &preparation] { return prepared->advance(); });
}

Run Session::forward(const BoundGraphs& graphs, std::span<const std::int32_t> samples, const ForwardOptions& options) {
  return Impl::forward(impl_, graphs, samples, options, {});
}

/// Stores the addresses of the rows that the run supplies.
void Session::Impl::take_pulls(PreparedBatch& batch, std::span<const RunPull> pulls) const {
  const Minibatch& minibatch = batch.minibatch;
  const std::span<const std::string> run_ports = minibatch.bound->run_ports();
  for (const RunPull& pull : pulls)
    user_check(
        minibatch.bound->is_run_port(pull.port),
        "the run provides rows of pull '{}', but the graphs were not bound for that; name the port in bind_graphs",
        pull.port);
  for (const std::string& port : run_ports) {
    const auto pull = std::ranges::find(pulls, port, &RunPull::port);
    user_check(pull != pulls.end(),
               "the graphs were bound so that each run provides pull '{}'; add its rows to ForwardOptions::pulls",
               port);
    std::size_t number = 0;
    while (number < program->float_ports.size() && program->float_ports[number].name != port) ++number;
    if (number == program->float_ports.size()) continue;  // no computed value reads the port
    const std::size_t rows = static_cast<std::size_t>(minibatch.vertices()), width = program->float_ports[number].width;
    user_check(pull->values.size() == rows * width, "pull '{}' has {} numbers; expected {} for {} vertices of {}", port,
               pull->values.size(), rows * width, rows, width);
    batch.inputs.pulls[number] = pull->values.data();
  }
}

Run Session::Impl::open(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs,
                        std::span<const std::int32_t> samples, const ForwardOptions& options, KeptStates kept) {
  user_check(std::isfinite(options.loss_divisor) && options.loss_divisor >= 0,
             "loss_divisor is {}; expected a number above 0, or 0 for the number of samples", options.loss_divisor);
  Run::State& state = self->prepare(graphs, samples, options.epoch, std::move(kept));
  self->take_pulls(state.batch, options.pulls);
  state.open = true;
  state.ran_backward = false;
  state.graphs = graphs.weak_from_this().lock();
  state.loss_divisor = options.loss_divisor > 0 ? options.loss_divisor : static_cast<double>(samples.size());
  return Run(std::shared_ptr<Run::State>(self, &state));
}

Run Session::Impl::forward(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs,
                           std::span<const std::int32_t> samples, const ForwardOptions& options, KeptStates kept) {
  Run run = open(self, graphs, samples, options, std::move(kept));
  Run::State& state = *run.state_;
  const auto start = std::chrono::steady_clock::now();
  state.run->forward(state.batch, static_cast<float>(1 / state.loss_divisor));
  state.loss_sum = state.run->loss_sum(state.batch);
  self->account(state, milliseconds_since(start));
  return run;
}

void Session::Impl::account(Run::State& state, double milliseconds) const {
  RunStatistics& s = state.statistics;
  const double memory_before = s.memory_ms;
  s.vertices = state.batch.minibatch.vertices();
  s.edges = state.batch.minibatch.edges;
  s.tasks = static_cast<std::int64_t>(state.batch.schedule.tasks.size());
  state.run->count(state.batch, s);
  s.compute_ms += milliseconds - (s.memory_ms - memory_before);
}

}  // namespace cavs::inline v0_1
