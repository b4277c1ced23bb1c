#include "law/laws.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "cavs/error.h"
#include "cavs/graph.h"
#include "law/tensors.h"
#include "law/training.h"
#include "update/gradient_norm.h"

namespace cavs::law {
namespace {

using Samples = std::vector<std::int32_t>;

Samples samples_of(const GraphSet& graphs, Order order) {
  Samples samples(graphs.size());
  std::iota(samples.begin(), samples.end(), 0);
  if (order == Order::kReversed) std::ranges::reverse(samples);
  if (order == Order::kTwice) samples.insert(samples.end(), samples.begin(), samples.end());
  if (order == Order::kSome) samples.resize((samples.size() + 1) / 2);
  return samples;
}

/// True if a run has outputs at a port, or gradients of a pull.
bool has_output(const Run& run, const std::string& port) {
  try {
    return run.width(port) > 0;
  } catch (const UserError&) {
    return false;
  }
}

/// Nothing if no vertex gathers the state.
std::optional<std::vector<float>> state(const Run& run, const std::string& name) {
  try {
    return run.state(name);
  } catch (const UserError&) {
    return {};
  }
}

std::optional<std::vector<float>> pull_gradient(const Run& run, const std::string& port) {
  try {
    return run.pull_gradient(port);
  } catch (const UserError&) {
    return {};
  }
}

void append(std::vector<double>& to, std::span<const float> values) {
  to.insert(to.end(), values.begin(), values.end());
}

/// The model's parameters, changed by about one rounding error.
std::shared_ptr<Parameters> nearly(const Model& model) {
  auto parameters = model.make_parameters();
  move_slightly(*parameters);
  return parameters;
}

struct Compiled {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const BoundGraphs> bound;
  bool is_given_box = false;
};

/// Evaluates one model, its data and its options in several ways.
class Laws {
 public:
  Laws(const Model& model, const GraphSet& data, LawOptions options, Events& events)
      : model_(model),
        graphs_(std::make_shared<GraphSet>(
            model.is_network() ? build_graphs(data, network_builder(model, data.schema(), "out")) : data)),
        options_(std::move(options)),
        events_(events),
        samples_(samples_of(*graphs_, options_.order)) {
    if (options_.forward.loss_divisor == 0) options_.forward.loss_divisor = static_cast<double>(samples_.size());
  }
  Laws(const Laws&) = delete;
  Laws& operator=(const Laws&) = delete;
  ~Laws() {
    std::error_code ignored;
    std::filesystem::remove(policy_file_, ignored);
  }

  std::string broken() {
    compiled_ = compiled(options_.compile);
    learn_policy();
    // throws before anything runs if the options are refused
    Optimizer(options_.train.optimizer, *model_.make_parameters());
    found_ = evaluate(compiled_, options_.session, options_.minibatch);
    for (const auto law : {&Laws::numbers, &Laws::threads, &Laws::batch_mates, &Laws::passes, &Laws::update})
      if (std::string broken = (this->*law)(); !broken.empty()) return broken;
    if (options_.steps == 0) return "";
    return broken_training(model_, graphs_, options_, events_);
  }

 private:
  bool training() const { return options_.compile.training; }
  Precision precision() const {
    return Session(compiled_.program, model_.make_parameters(), options_.session).precision();
  }

  Compiled compiled(const CompileOptions& options) const {
    auto program = compile(model_, options);
    std::vector<std::string> given;
    if (options_.supplies_box && reads_box(program)) given.push_back("box");
    auto bound = bind_graphs(program, graphs_, given);
    return {std::move(program), std::move(bound), !given.empty()};
  }

  /// True if a value that is computed depends on port "box".
  bool reads_box(const std::shared_ptr<const Program>& program) const {
    try {
      return bind_graphs(program, graphs_, {"box"}) != nullptr;
    } catch (const UserError&) {
      return false;
    }
  }

  Compiled without(const std::vector<std::string>& passes) const {
    CompileOptions options = options_.compile;
    options.disabled_passes.insert(options.disabled_passes.end(), passes.begin(), passes.end());
    return compiled(options);
  }

  void learn_policy() {
    if (!options_.session.policy.starts_with("fsm")) return;
    const LearnedPolicy learned = cavs::learn_policy("law", *compiled_.bound, options_.learn);
    if (options_.session.policy == "fsm") {
      options_.session.learned = std::make_shared<LearnedPolicy>(learned);
      return;
    }
    policy_file_ = std::filesystem::temp_directory_path() / ("cavs-law-" + std::to_string(getpid()) + ".json");
    save_policy(policy_file_, learned);
    options_.session.policy = "fsm:" + policy_file_;
  }

  std::vector<std::span<const std::int32_t>> minibatches(int size) const {
    const std::size_t step = size == 0 ? samples_.size() : static_cast<std::size_t>(size);
    std::vector<std::span<const std::int32_t>> parts;
    for (std::size_t begin = 0; begin < samples_.size(); begin += step)
      parts.push_back(std::span(samples_).subspan(begin, std::min(step, samples_.size() - begin)));
    return parts;
  }

  std::int64_t memory_limit(const Compiled& c, const std::shared_ptr<Parameters>& parameters,
                            const SessionOptions& options, int minibatch) const {
    if (!options_.exact_memory_limit) return options.memory_limit;
    Session session(c.program, parameters, options);
    std::int64_t bytes = 0;
    for (const auto& part : minibatches(minibatch)) bytes = std::max(bytes, session.memory(*c.bound, part));
    return bytes;
  }

  Tensors evaluate(const Compiled& c, SessionOptions options, int minibatch,
                   std::shared_ptr<Parameters> parameters = nullptr, bool shared = false) const {
    if (parameters == nullptr) parameters = model_.make_parameters();
    options.memory_limit = memory_limit(c, parameters, options, minibatch);
    Session session(c.program, parameters, options);
    if (!shared) return evaluate(c, session, minibatch, *parameters);
    Session other(session, options);
    return evaluate(c, other, minibatch, *parameters);
  }

  /// Results of all minibatches. Outputs are concatenated; losses and gradients are summed.
  Tensors evaluate(const Compiled& c, Session& session, int minibatch, const Parameters& parameters) const {
    Tensors results;
    Gradients gradients(parameters);
    const auto parts = minibatches(minibatch);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Run run = forward(c, session, parts[i]);
      if (options_.prefetch && i + 1 < parts.size()) session.prefetch(*c.bound, parts[i + 1], options_.forward.epoch);
      add(results["loss"], {run.loss()});
      add(results["labels"], {static_cast<double>(run.labels())});
      for (const std::string port : {"out", "score", "link"})
        if (has_output(run, port)) append(results["push '" + port + "'"], run.output(port));
      for (const std::string name : {"h", "g"})
        if (const auto values = state(run, name)) append(results["state '" + name + "'"], *values);
      if (training()) add_gradients(results, run, gradients, parameters);
      ++events_.runs;
      events_.streamed_rows += run.statistics().streamed_rows;
      events_.fallbacks += run.statistics().fallbacks;
    }
    return results;
  }

  void add_gradients(Tensors& results, Run& run, Gradients& gradients, const Parameters& parameters) const {
    backward(run, gradients, false);
    for (int p = 0; p < parameters.size(); ++p)
      add(results["gradient of '" + parameters.info(p).name + "'"],
          {gradients.values(p).begin(), gradients.values(p).end()});
    if (const auto values = pull_gradient(run, "box")) append(results["gradient of pull 'box'"], *values);
  }

  static void add(std::vector<double>& to, const std::vector<double>& values) {
    to.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) to[i] += values[i];
  }

  /// The rows of port "box" in the data.
  std::vector<float> box_rows(std::span<const std::int32_t> samples) const {
    const auto& ports = graphs_->schema().float_ports;
    const auto port = std::ranges::find(ports, "box", &GraphSchema::FloatPort::name);
    const auto rows = graphs_->float_pulls(port - ports.begin());
    std::vector<float> values;
    for (const std::int32_t s : samples)
      values.insert(values.end(), rows.begin() + graphs_->vertex_begin()[s] * port->width,
                    rows.begin() + graphs_->vertex_begin()[s + 1] * port->width);
    return values;
  }

  Run forward(const Compiled& c, Session& session, std::span<const std::int32_t> samples) const {
    ForwardOptions options = options_.forward;
    if (c.is_given_box) {
      ++events_.given;
      box_ = box_rows(samples);
      options.pulls = {{"box", box_}};
    }
    return session.forward(*c.bound, samples, options);
  }

  void backward(Run& run, Gradients& gradients, bool defer) const {
    std::vector<std::vector<float>> values;
    std::vector<Run::PushGradient> pushes;
    values.reserve(3);
    for (const std::string port : {"out", "score", "link"})
      if (options_.push_gradients && has_output(run, port))
        pushes.push_back({port, values.emplace_back(push_gradient(run, run.width(port)))});
    run.backward(gradients, pushes, defer);
    for (const char deferred : gradients.deferred) events_.deferred += deferred;
  }

  /// Numbers that depend only on the position of the vertex in its sample. They are sums of powers of two, so that sums
  /// over vertices, which may cancel, are exact.
  static std::vector<float> push_gradient(const Run& run, int width) {
    std::vector<float> values;
    const auto begin = run.sample_begin();
    for (std::size_t k = 0; k + 1 < begin.size(); ++k)
      for (std::int32_t v = 0; v < begin[k + 1] - begin[k]; ++v)
        for (int i = 0; i < width; ++i) values.push_back(static_cast<float>((v * 3 + i * 5) % 11 - 5) * 0.125F);
    return values;
  }

  std::string numbers() {
    CompileOptions plain = options_.compile;
    plain.disabled_passes.clear();
    const Compiled c = compiled(plain);
    SessionOptions reference{
        .engine = EngineKind::kReference, .precision = options_.session.precision, .seed = options_.session.seed};
    const Tensors expected = evaluate(c, reference, 0);
    if (!is_finite(expected)) {
      ++events_.not_finite;
      return "";
    }
    const bool rounds = precision() != Precision::kFp32;
    Tolerance tolerance = !rounds                           ? Tolerance{}
                          : precision() == Precision::kTf32 ? Tolerance{2e-3, 1e-4}
                                                            : Tolerance{2e-2, 1e-3};
    // A sequential sum over all vertices may be off by one unit in the last place for each.
    std::int64_t vertices = 0;  // of all samples; a sample may occur twice
    for (const std::int32_t s : samples_) vertices += graphs_->vertex_begin()[s + 1] - graphs_->vertex_begin()[s];
    tolerance.relative = std::max(tolerance.relative, 0x1p-24 * static_cast<double>(vertices));
    std::string broken = difference(found_, expected, tolerance);
    if (broken.empty()) return "";
    reference.precision = Precision::kFp32;
    const Tensors moved = evaluate(c, reference, 0, rounds ? nullptr : nearly(model_));
    ++events_.ill_conditioned;
    if (!rounds && is_chaotic(moved, expected)) return "";
    broken = difference(found_, expected, tolerance, &moved, rounds ? 2 : 8);
    return broken.empty() ? "" : "other numbers than the reference: " + broken;
  }

  std::string threads() {
    SessionOptions other = options_.session;
    other.threads = options_.other_threads;
    other.streaming = other.streaming == Streaming::kOn ? Streaming::kOff : Streaming::kOn;
    const std::string broken =
        differing_bits(evaluate(compiled_, other, options_.minibatch, nullptr, !training()), found_);
    return broken.empty() ? ""
                          : "other bits with " + std::to_string(other.threads) + " threads, streaming " +
                                std::string(to_string(other.streaming)) + ": " + broken;
  }

  static Tensors outputs(const Tensors& all) {
    Tensors outputs;
    for (const auto& [name, values] : all)
      if (name.starts_with("push") || name.starts_with("state")) outputs[name] = values;
    return outputs;
  }

  std::string batch_mates() {
    SessionOptions other = options_.session;
    other.policy = "serial";
    const Tensors alone = evaluate(compiled_, other, options_.minibatch == 1 ? 0 : 1);
    const std::string broken = differing_bits(outputs(alone), outputs(found_));
    return broken.empty() ? "" : "other output bits with other batch-mates: " + broken;
  }

  std::string passes() {
    const Tensors moved = evaluate(without({"fuse_rows", "recompute"}), options_.session, options_.minibatch);
    std::string broken = differing_bits(moved, found_);
    if (!broken.empty()) return "other bits without fuse_rows and recompute: " + broken;
    const Compiled plain = without({"fuse", "simplify", "compact_absent"});
    broken = differing_bits(outputs(evaluate(plain, options_.session, options_.minibatch)), outputs(found_));
    return broken.empty() ? "" : "other output bits without fuse, simplify and compact_absent: " + broken;
  }

  std::string update() {
    if (!training()) return "";
    if (options_.session.device.kind == DeviceKind::kCuda) return update_on_gpu();
    const Tensors expected = updated({}, false);
    for (const int threads : {options_.session.threads, options_.other_threads})
      if (const std::string broken = differing_bits(updated(threads, options_.defer), expected); !broken.empty())
        return "an update on " + std::to_string(threads) + " threads has other bits than Optimizer::step: " + broken;
    return "";
  }

  /// A GPU's update must repeat its bits. It is near the host's only if small gradients make small updates.
  std::string update_on_gpu() {
    const Tensors found = updated(options_.session.threads, false);
    if (const std::string broken = differing_bits(updated(options_.session.threads, false), found); !broken.empty())
      return "an update has other bits when it is done again: " + broken;
    if (!moves_smoothly(options_.train.optimizer)) return "";
    const std::string broken = difference(found, updated({}, false), {.relative = 1e-4, .absolute = 1e-5});
    return broken.empty() ? "" : "an update on the GPU ends elsewhere than by Optimizer::step: " + broken;
  }

  /// Two steps on all samples, by Session::update if `threads` is given, otherwise by Optimizer::step.
  Tensors updated(std::optional<int> threads, bool defer) const {
    const auto parameters = model_.make_parameters();
    SessionOptions options = options_.session;
    options.threads = threads.value_or(1);
    Session session(compiled_.program, parameters, options);
    Optimizer optimizer(options_.train.optimizer, *parameters);
    Gradients gradients(*parameters);
    Tensors results;
    for (int step = 0; step < 2; ++step) {
      Run run = forward(compiled_, session, samples_);
      results["loss"].push_back(run.loss());
      backward(run, gradients, defer && options_.train.clip_norm == 0 && !options_.halve);
      if (options_.halve)
        for (float& x : gradients.flat()) x *= 0.5F;
      results["norm"].push_back(threads ? update(session, run, gradients, optimizer)
                                        : optimizer_step(*parameters, gradients, optimizer));
    }
    add_parameters(results, *parameters, optimizer);
    return results;
  }

  UpdateOptions update_options() const {
    return {.clip_norm = options_.train.clip_norm, .norm = options_.train.gradient_norm};
  }

  double update(Session& session, Run& run, Gradients& gradients, Optimizer& optimizer) const {
    const UpdateOptions options = update_options();
    const UpdateResult result = session.update(run, gradients, optimizer, options);
    return options.norm || options.clip_norm > 0 ? result.gradient_norm : 0;
  }

  double optimizer_step(Parameters& parameters, Gradients& gradients, Optimizer& optimizer) const {
    const UpdateOptions options = update_options();
    GradientNorm norm(parameters);
    norm.leave_out(optimizer.frozen());
    norm.share(0, 1, gradients);
    const double total = norm.total(gradients);
    optimizer.step(parameters, gradients, clip_scale(total, options.clip_norm));
    return options.norm || options.clip_norm > 0 ? total : 0;
  }

  const Model& model_;
  std::shared_ptr<const GraphSet> graphs_;
  LawOptions options_;
  Events& events_;
  Samples samples_;
  std::string policy_file_;
  Compiled compiled_;
  Tensors found_;
  mutable std::vector<float> box_;  // must outlive the run that reads it
};

}  // namespace

std::string broken_law(const Model& model, const GraphSet& data, const LawOptions& options, Events* events) {
  Events ignored;
  return Laws(model, data, options, events == nullptr ? ignored : *events).broken();
}

}  // namespace cavs::law
