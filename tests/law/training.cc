#include "law/training.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cavs/checkpoint.h"
#include "cavs/error.h"
#include "helpers/ranks.h"

namespace cavs::law {
namespace {

class GraphStream final : public SampleStream {
 public:
  explicit GraphStream(std::shared_ptr<const GraphSet> graphs) : graphs_(std::move(graphs)) {}
  GraphSchema schema() const override { return graphs_->schema(); }
  std::int64_t samples() const override { return graphs_->size(); }
  std::uint64_t content_hash() const override { return 1; }
  void rewind() override { next_ = 0; }
  InputGraph next() override { return sample_of(*graphs_, next_++); }

 private:
  std::shared_ptr<const GraphSet> graphs_;
  std::int32_t next_ = 0;
};

Checkpoint through_file(const Checkpoint& checkpoint) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("cavs-law-" + std::to_string(getpid()) + ".checkpoint");
  save_checkpoint(path, checkpoint);
  Checkpoint loaded = load_checkpoint(path);
  std::filesystem::remove(path);
  return loaded;
}

class Training {
 public:
  Training(const Model& model, std::shared_ptr<const GraphSet> graphs, const LawOptions& options, Events& events)
      : model_(model), graphs_(std::move(graphs)), options_(options), events_(events) {}

  std::string broken() {
    try {
      return broken_law();
    } catch (const UserError& error) {
      if (!std::string_view(error.what()).starts_with("training stopped in epoch")) throw;
      ++events_.not_finite;
      return "";
    }
  }

 private:
  std::string broken_law() {
    const auto trainer = make(options_.session);
    Tensors found = steps(*trainer, options_.steps);
    for (const double norm : found["gradient norm"])
      events_.clipped += options_.train.clip_norm > 0 && norm > options_.train.clip_norm;
    add_state(found, *trainer);
    ++events_.trained;
    if (const std::string broken = differing_bits(resumed(), found); !broken.empty())
      return "training that stopped after step " + std::to_string(options_.stop) + " and resumed on " +
             std::to_string(options_.other_threads) + " threads, " + std::to_string(ranks()) +
             " ranks has other bits: " + broken;
    if (const std::string broken = other_training(found); !broken.empty())
      return "training ends elsewhere than on the reference: " + broken;
    return "";
  }

  int ranks() const { return std::min(options_.ranks, options_.train.accumulate); }

  std::unique_ptr<Trainer> make(const SessionOptions& session, bool with_passes = true,
                                std::shared_ptr<Job> job = nullptr) const {
    TrainOptions options = options_.train;
    options.job = std::move(job);
    options.session = session;
    if (with_passes) options.disabled_passes = options_.compile.disabled_passes;
    if (options_.stream) return std::make_unique<Trainer>(model_, std::make_shared<GraphStream>(graphs_), options);
    return std::make_unique<Trainer>(model_, *graphs_, options);
  }

  Tensors steps(Trainer& trainer, int count) const {
    Tensors results{{"loss", {}}, {"labels", {}}, {"samples", {}}, {"learning rate", {}}, {"gradient norm", {}}};
    // A momentum that has shrunk still has the rounding error of its largest value.
    std::vector<double>& momentum = results["momentum of the parameter where it is largest, after each step"];
    for (int i = 0; i < count; ++i) {
      const TrainStep step = options_.start ? trainer.start().wait() : trainer.step();
      results["loss"].push_back(step.loss);
      results["labels"].push_back(static_cast<double>(step.labels));
      results["samples"].push_back(static_cast<double>(step.samples));
      results["learning rate"].push_back(step.learning_rate);
      if (!std::isnan(step.gradient_norm)) results["gradient norm"].push_back(step.gradient_norm);
      momentum.push_back(largest_momentum(trainer));
    }
    return results;
  }

  static double largest_momentum(Trainer& trainer) {
    const Optimizer& optimizer = trainer.optimizer();
    const int parameters = trainer.parameters().size();
    double largest = 0;
    for (int slot = 0; slot < optimizer.slots(); ++slot)
      for (int p = 0; p < parameters && optimizer.slot_name(slot) == "momentum"; ++p)
        for (const float x : optimizer.slot(slot, p)) largest = std::max<double>(largest, std::abs(x));
    return largest;
  }

  static void add_state(Tensors& results, Trainer& trainer) {
    add_parameters(results, trainer.parameters(), trainer.optimizer());
    const auto averages = trainer.evaluated_parameters();
    for (int p = 0; p < averages->size(); ++p) {
      const auto values = std::as_const(*averages).values(p);
      results["average of '" + averages->info(p).name + "'"].assign(values.begin(), values.end());
    }
    const Checkpoint::Position& at = trainer.position();
    results["position"] = {static_cast<double>(at.epoch), static_cast<double>(at.sample), static_cast<double>(at.step)};
  }

  Tensors resumed() const {
    const int stop = std::min(options_.stop, options_.steps);
    const auto stopped = make(options_.session);
    Tensors results = steps(*stopped, stop);
    Checkpoint checkpoint = stopped->checkpoint();
    events_.in_mid_epoch += checkpoint.position.sample != 0;
    if (options_.checkpoint_file) checkpoint = through_file(checkpoint);
    SessionOptions session = options_.session;
    session.threads = options_.other_threads;
    const auto resume = [&](std::shared_ptr<Job> job) {
      const auto trainer = make(session, true, std::move(job));
      trainer->restore(checkpoint);
      Tensors rest = steps(*trainer, options_.steps - stop);
      add_state(rest, *trainer);
      return rest;
    };
    std::vector<Tensors> of_ranks(ranks());
    if (ranks() == 1)
      of_ranks[0] = resume(nullptr);
    else
      on_ranks(ranks(), [&](const std::shared_ptr<Job>& job) { of_ranks[job->rank()] = resume(job); });
    events_.on_ranks += ranks() > 1;
    for (const Tensors& other : of_ranks)
      if (!differing_bits(other, of_ranks[0]).empty()) return other;
    for (const auto& [name, values] : of_ranks[0])
      results[name].insert(results[name].end(), values.begin(), values.end());
    return results;
  }

  /// True if training diverges, so that rounding errors grow without bound.
  static bool diverges(const std::vector<double>& losses) {
    return std::ranges::any_of(losses, [&](double loss) { return std::abs(loss) > 2 * std::abs(losses[0]) + 1; });
  }

  std::string other_training(const Tensors& found) const {
    if (options_.session.precision != Precision::kFp32 || !moves_smoothly(options_.train.optimizer)) return "";
    SessionOptions session = options_.session;
    session.device = {};
    session.engine = EngineKind::kReference;
    session.threads = 1;
    const Tensors expected = trained(session, false);
    if (!is_finite(expected) || diverges(expected.at("loss"))) return "";
    ++events_.compared_training;
    const Tolerance tolerance{.relative = 1e-4, .absolute = 1e-5};
    const std::string broken = difference(found, expected, tolerance);
    if (broken.empty()) return "";
    const Tensors moved = trained(session, true);
    ++events_.ill_conditioned;
    if (is_chaotic(moved, expected)) return "";
    return difference(found, expected, tolerance, &moved, 8);
  }

  Tensors trained(const SessionOptions& session, bool moved) const {
    const auto trainer = make(session, false);
    if (moved) move_slightly(trainer->parameters());
    Tensors results = steps(*trainer, options_.steps);
    add_state(results, *trainer);
    return results;
  }

  const Model& model_;
  std::shared_ptr<const GraphSet> graphs_;
  const LawOptions& options_;
  Events& events_;
};

}  // namespace

bool moves_smoothly(const OptimizerOptions& options) { return options.kind == "sgd" || options.eps >= 1e-3; }

void move_slightly(Parameters& parameters) {
  for (int p = 0; p < parameters.size(); ++p) {
    std::uint32_t number = 0;
    for (float& x : parameters.values(p)) x *= (number++ * 2654435761U >> 16 & 1) != 0 ? 1 + 0x1p-22F : 1 - 0x1p-22F;
    parameters.touch(p);
  }
}

void add_parameters(Tensors& results, const Parameters& parameters, const Optimizer& optimizer) {
  for (int p = 0; p < parameters.size(); ++p) {
    const std::string& name = parameters.info(p).name;
    const auto values = parameters.values(p);
    results["parameter '" + name + "'"].assign(values.begin(), values.end());
    for (int slot = 0; slot < optimizer.slots(); ++slot) {
      const auto state = optimizer.slot(slot, p);
      results[std::string(optimizer.slot_name(slot)) + " of '" + name + "'"].assign(state.begin(), state.end());
    }
  }
}

std::string broken_training(const Model& model, std::shared_ptr<const GraphSet> graphs, const LawOptions& options,
                            Events& events) {
  return Training(model, std::move(graphs), options, events).broken();
}

}  // namespace cavs::law
