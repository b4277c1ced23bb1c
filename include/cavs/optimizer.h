#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cavs/parameters.h"
#include "cavs/version.h"

namespace cavs::inline v0_1::detail {
struct OptimizerAccess;
}

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The learning rate as a pure function of the number of steps made so far: a linear warm-up, then a decay.
struct LearningRateSchedule {
  /// kPlateau: constant here; whoever evaluates, such as fit(), reduces it (Optimizer::set_rate_factor).
  enum class Decay { kConstant, kLinear, kCosine, kExponential, kStep, kPlateau };
  Decay decay = Decay::kConstant;
  std::int64_t warmup_steps = 0;  // factors 1/n, 2/n, ... 1 in the first n steps
  /// linear, cosine: steps from factor 1 to `floor`; exponential, step: steps a `rate`. These four need a number; 0 is
  /// none.
  std::int64_t decay_steps = 0;
  double rate = 0.1;          // exponential: smoothly; step: at once, after each decay_steps; plateau: at once
  std::int64_t patience = 3;  // plateau: its epochs, none of them better than the best (PyTorch's number plus 1)
  double floor = 0;           // the smallest factor that a decay goes down to

  /// What the learning rate is multiplied with in step `step` (from 0). Decay counts from the end of the warm-up.
  double factor(std::int64_t step) const;
  /// Whether it is a decay that needs decay_steps.
  bool counts_steps() const { return decay != Decay::kConstant && decay != Decay::kPlateau; }
  bool operator==(const LearningRateSchedule&) const = default;
};

/// What differs for the parameters whose names match a pattern.
struct ParameterGroup {
  /// kTimes: lr times `value`; kFixed: `value` in place of lr; both times the schedule's factor. kFrozen: the parameter
  /// keeps its bits, costs no update, and counts neither in weight decay nor in the norm that is clipped.
  enum class Rate { kTimes, kFixed, kFrozen };
  std::string pattern;  // * is any text, ? any character, [a-z] one of these: POSIX fnmatch()
  Rate rate = Rate::kTimes;
  double value = 1;
  bool operator==(const ParameterGroup&) const = default;

  static ParameterGroup times(std::string pattern, double factor) { return {std::move(pattern), Rate::kTimes, factor}; }
  static ParameterGroup fixed(std::string pattern, double rate) { return {std::move(pattern), Rate::kFixed, rate}; }
  static ParameterGroup frozen(std::string pattern) { return {std::move(pattern), Rate::kFrozen, 0}; }
};

/// "embedding=0.1x", "W*=0.01", "E frozen".
std::string to_string(const ParameterGroup& group);

/// Options of an optimiser; names, meanings and defaults are PyTorch's. Start from optimizer_defaults(kind).
struct OptimizerOptions {
  std::string kind = "sgd";        // one of optimizer_kinds()
  double lr = 1e-3;                // times schedule.factor(step)
  double weight_decay = 0;         // adamw: decoupled; others: added to the gradient
  double momentum = 0;             // sgd
  bool nesterov = false;           // sgd, with momentum
  double beta1 = 0.9;              // adam, adamw
  double beta2 = 0.999;            // adam, adamw
  double eps = 1e-8;               // adagrad, adam, adamw
  double lr_decay = 0;             // adagrad
  double initial_accumulator = 0;  // adagrad
  /// Of a table, update only the rows that have a gradient (values and state), as DyNet does. Off: every row is
  /// updated, as by PyTorch's dense optimisers; the time is spent only where that changes a value.
  bool sparse_updates = false;
  LearningRateSchedule schedule;
  std::vector<ParameterGroup> groups = {};  // of several that match a name, the last counts
  bool operator==(const OptimizerOptions&) const = default;
};

/// "adagrad", "adam", "adamw", "sgd".
std::vector<std::string_view> optimizer_kinds();

/// The defaults of a kind. @throws UserError naming the known kinds if there is none of this name.
OptimizerOptions optimizer_defaults(std::string_view kind);
/// @throws UserError for an unknown kind, or an option that is out of range or that the kind does not have.
void check_options(const OptimizerOptions& options);

/// Names of LearningRateSchedule::Decay, in the order of its values.
std::span<const std::string_view> decay_names();
/// "cosine", and back. @throws UserError naming the known ones.
std::string_view decay_name(LearningRateSchedule::Decay decay);
LearningRateSchedule::Decay find_decay(std::string_view name);

/// Updates parameters from gradients.
///
/// step() works on one thread, Session::update() on all threads of a session. On a CPU both give the same
/// bits, whatever the number of threads. A step allocates nothing.
class Optimizer {
 public:
  /// @throws UserError on an option that is out of range or that this kind does not have, for a group that matches no
  /// parameter, naming them all, and where all are frozen.
  /// Cost: memory for slots() floats per parameter element.
  Optimizer(OptimizerOptions options, const Parameters& parameters);
  Optimizer(Optimizer&&) noexcept;
  ~Optimizer();

  /// One step. Gradients are multiplied by `gradient_scale` first. For a session's runs use
  /// Session::update, which shares the work among its threads.
  /// @throws UserError if parameters or gradients are not of the parameters that this optimiser was made for, naming
  /// the first difference, or if gradients are deferred.
  void step(Parameters& parameters, const Gradients& gradients, float gradient_scale = 1);

  const OptimizerOptions& options() const;
  /// The parameters that it was made for.
  const Parameters::List& parameters() const;
  std::int64_t steps() const;
  void set_steps(std::int64_t steps);
  /// Of the next step: lr times the schedule's factor and rate_factor().
  double learning_rate() const;
  /// The same of a parameter, by its group; 0 where it is frozen.
  double learning_rate(int parameter) const;
  /// [parameters]: 1 where a group freezes it.
  std::span<const char> frozen() const;
  /// What the learning rate is multiplied with besides: 1, or what the caller sets. Part of the state that is saved.
  double rate_factor() const;
  /// @throws UserError unless it is finite and not negative.
  void set_rate_factor(double factor);

  /// The state: for each slot one float per element of every parameter. Names of slots: "momentum" (sgd), "sum"
  /// (adagrad), "exp_avg" and "exp_avg_sq" (adam, adamw).
  int slots() const;
  std::string_view slot_name(int slot) const;
  /// A session that updates on a GPU keeps the state there, from where these bring it back; the first counts as a
  /// change, after which it is copied there again.
  std::span<float> slot(int slot, int parameter);
  std::span<const float> slot(int slot, int parameter) const;

 private:
  friend struct detail::OptimizerAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Zeroes the listed rows of every table's gradient and empties the lists. Dense gradients are left: the next backward
/// pass overwrites them. @throws UserError for gradients of other parameters.
void clear(const Parameters& parameters, Gradients& gradients);

}  // namespace v0_1
}  // namespace cavs
