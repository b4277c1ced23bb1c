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

/// The learning rate as a pure function of the number of steps done: a linear warm-up, then a decay.
struct LearningRateSchedule {
  /// kPlateau is constant here; fit(), or another caller, reduces the learning rate (Optimizer::set_rate_factor).
  enum class Decay { kConstant, kLinear, kCosine, kExponential, kStep, kPlateau };
  Decay decay = Decay::kConstant;
  std::int64_t warmup_steps = 0;  // n: the first n steps have the factors 1/n, 2/n, ... 1; 0 means no warm-up
  /// For kLinear and kCosine: number of steps from factor 1 to `floor`. For kExponential and kStep: number of steps per
  /// multiplication by `rate`. All four need a number above 0.
  std::int64_t decay_steps = 0;
  double rate = 0.1;          // factor of one decay: kExponential applies it gradually, kStep and kPlateau at once
  std::int64_t patience = 3;  // kPlateau: epochs without a better one before a decay (PyTorch's patience plus 1)
  double floor = 0;           // smallest factor that a decay reaches

  /// Factor on the learning rate in step `step` (from 0). Decay counts from the end of the warm-up.
  double factor(std::int64_t step) const;
  /// True if the decay needs decay_steps.
  bool counts_steps() const { return decay != Decay::kConstant && decay != Decay::kPlateau; }
  bool operator==(const LearningRateSchedule&) const = default;
};

/// Settings for the parameters whose names match a pattern.
struct ParameterGroup {
  /// kTimes multiplies lr by `value`, and kFixed replaces lr by `value`; the schedule's factor applies to both. kFrozen
  /// parameters do not change, cost no time in updates, and count neither in weight decay nor in the norm for clipping.
  enum class Rate { kTimes, kFixed, kFrozen };
  std::string pattern;  // as in POSIX fnmatch(): * is any text, ? is any character, [a-z] is one of these characters
  Rate rate = Rate::kTimes;
  double value = 1;  // see Rate; not used for kFrozen
  bool operator==(const ParameterGroup&) const = default;

  static ParameterGroup times(std::string pattern, double factor) { return {std::move(pattern), Rate::kTimes, factor}; }
  static ParameterGroup fixed(std::string pattern, double rate) { return {std::move(pattern), Rate::kFixed, rate}; }
  static ParameterGroup frozen(std::string pattern) { return {std::move(pattern), Rate::kFrozen, 0}; }
};

/// Text such as "embedding=0.1x" (kTimes), "W*=0.01" (kFixed) or "E frozen".
std::string to_string(const ParameterGroup& group);

/// Options of an optimiser, with PyTorch's names, meanings and defaults. Start from optimizer_defaults(kind).
struct OptimizerOptions {
  std::string kind = "sgd";        // one of optimizer_kinds()
  double lr = 1e-3;                // learning rate, before the factor of the schedule
  double weight_decay = 0;         // for all kinds: decoupled in adamw, else added to the gradient
  double momentum = 0;             // only for sgd
  bool nesterov = false;           // only for sgd with momentum
  double beta1 = 0.9;              // only for adam and adamw
  double beta2 = 0.999;            // only for adam and adamw
  double eps = 1e-8;               // only for adagrad, adam and adamw
  double lr_decay = 0;             // only for adagrad
  double initial_accumulator = 0;  // only for adagrad
  /// If true, only those rows of a table that have a gradient are updated (values and optimiser state), as in DyNet. If
  /// false, all rows are updated, as by PyTorch's dense optimisers; a row that the update cannot change costs no time.
  bool sparse_updates = false;
  LearningRateSchedule schedule;
  std::vector<ParameterGroup> groups = {};  // a parameter belongs to the last group that matches its name, or to none
  bool operator==(const OptimizerOptions&) const = default;
};

/// "adagrad", "adam", "adamw", "sgd".
std::vector<std::string_view> optimizer_kinds();

/// The default options of a kind. @throws UserError naming the known kinds if there is none of this name.
OptimizerOptions optimizer_defaults(std::string_view kind);
/// Checks options. @throws UserError for an unknown kind, or an option that is out of range or that the kind lacks.
void check_options(const OptimizerOptions& options);

/// Names of the values of LearningRateSchedule::Decay, in order.
std::span<const std::string_view> decay_names();
/// The name of a decay, such as "cosine", and the decay of a name. @throws UserError with the known names.
std::string_view decay_name(LearningRateSchedule::Decay decay);
LearningRateSchedule::Decay find_decay(std::string_view name);

/// Updates parameters from gradients.
///
/// step() uses one thread, Session::update() all threads of a session. On a CPU, both give bit-identical results, for
/// any number of threads. A step allocates no memory.
class Optimizer {
 public:
  /// @throws UserError for an option that is out of range or that this kind does not have, for groups that match no
  /// parameter, naming them all, and if all parameters are frozen. Cost: memory for slots() floats per parameter
  /// element.
  Optimizer(OptimizerOptions options, const Parameters& parameters);
  Optimizer(Optimizer&&) noexcept;
  ~Optimizer();

  /// Makes one step, with the gradients multiplied by `gradient_scale`. For the runs of a session use Session::update,
  /// which divides the work among its threads.
  /// @throws UserError if the optimiser is for other parameters, naming the first difference, or for deferred
  /// gradients.
  void step(Parameters& parameters, const Gradients& gradients, float gradient_scale = 1);

  const OptimizerOptions& options() const;
  /// The list of the parameters that this optimiser was made for.
  const Parameters::List& parameters() const;
  std::int64_t steps() const;
  void set_steps(std::int64_t steps);
  /// Learning rate of the next step: lr times the schedule's factor and rate_factor().
  double learning_rate() const;
  /// Learning rate of a parameter by its group; 0 if frozen.
  double learning_rate(int parameter) const;
  /// [parameters]: 1 if a group freezes the parameter, else 0.
  std::span<const char> frozen() const;
  /// An additional factor on the learning rate, 1 unless set. Saved with the state.
  double rate_factor() const;
  /// @throws UserError unless `factor` is finite and not negative.
  void set_rate_factor(double factor);

  /// Number of slots. A slot has one float of optimiser state per element of every parameter. Names of slots:
  /// "momentum" (sgd), "sum" (adagrad), "exp_avg" and "exp_avg_sq" (adam, adamw).
  int slots() const;
  std::string_view slot_name(int slot) const;
  /// The state of a parameter in a slot, copied back from the GPU if a session keeps it there. The non-const overload
  /// counts as a change, so the state is then copied to the GPU again.
  std::span<float> slot(int slot, int parameter);
  std::span<const float> slot(int slot, int parameter) const;

 private:
  friend struct detail::OptimizerAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Zeroes the listed rows of every table's gradient and empties the lists. Dense gradients do not change; the next
/// backward pass overwrites them. @throws UserError for gradients of other parameters.
void clear(const Parameters& parameters, Gradients& gradients);

}  // namespace v0_1
}  // namespace cavs
