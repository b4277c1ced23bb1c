#include "update/optimizer_options.h"

#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "support/suggest.h"
#include "update/parameter_groups.h"

namespace cavs::inline v0_1 {
namespace {

constexpr OptionField kFields[] = {
    {"lr", &OptimizerOptions::lr},
    {"weight_decay", &OptimizerOptions::weight_decay},
    {"momentum", &OptimizerOptions::momentum},
    {"nesterov", &OptimizerOptions::nesterov},
    {"beta1", &OptimizerOptions::beta1, 1.0},
    {"beta2", &OptimizerOptions::beta2, 1.0},
    {"eps", &OptimizerOptions::eps},
    {"lr_decay", &OptimizerOptions::lr_decay},
    {"initial_accumulator", &OptimizerOptions::initial_accumulator},
    {"sparse_updates", &OptimizerOptions::sparse_updates},
};
constexpr std::string_view kOfEveryKind[] = {"lr", "weight_decay", "sparse_updates"};
constexpr std::string_view kDecayNames[] = {"constant", "linear", "cosine", "exponential", "step", "plateau"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_field(const OptimizerDef& def, const OptionField& field, const OptimizerOptions& options,
                 const OptimizerOptions& defaults) {
  std::visit(
      [&](auto member) {
        const auto value = options.*member;
        user_check(contains(kOfEveryKind, field.name) || contains(def.options, field.name) || value == defaults.*member,
                   "optimizer '{}' has no option {}; leave it at {}", def.name, field.name, defaults.*member);
        const double number = static_cast<double>(value);
        user_check(std::isfinite(number) && number >= 0 && (field.below == 0 || number < field.below),
                   "optimizer '{}': {} is {}; expected a number from 0{}", def.name, field.name, value,
                   field.below == 0 ? std::string() : fmt::format(" to below {}", field.below));
      },
      field.member);
}

void check_schedule(const LearningRateSchedule& s) {
  user_check(s.warmup_steps >= 0, "learning-rate schedule: warmup_steps is {}; expected 0 or more", s.warmup_steps);
  using Decay = LearningRateSchedule::Decay;
  user_check(s.counts_steps() || s.decay_steps >= 0,
             "learning-rate schedule: decay_steps is {} with decay '{}'; expected 0 or more", s.decay_steps,
             decay_name(s.decay));
  user_check(!s.counts_steps() || s.decay_steps >= 1,
             "learning-rate schedule: decay_steps is {} with decay '{}'; expected 1 or more: the steps {}",
             s.decay_steps, decay_name(s.decay),
             s.decay == Decay::kLinear || s.decay == Decay::kCosine
                 ? "until the rate reaches its floor, for example those of all epochs"
                 : "after which the rate is multiplied by `rate`, for example those of an epoch");
  user_check(s.rate > 0 && s.rate <= 1, "learning-rate schedule: rate is {}; expected above 0 and at most 1", s.rate);
  user_check(s.patience >= 1, "learning-rate schedule: patience is {}; expected 1 or more", s.patience);
  user_check(s.floor >= 0 && s.floor <= 1, "learning-rate schedule: floor is {}; expected 0 to 1", s.floor);
}

}  // namespace

std::span<const OptionField> option_fields() { return kFields; }

std::span<const std::string_view> decay_names() { return kDecayNames; }

std::string_view decay_name(LearningRateSchedule::Decay decay) { return kDecayNames[static_cast<int>(decay)]; }

LearningRateSchedule::Decay find_decay(std::string_view name) {
  const auto found = std::find(std::begin(kDecayNames), std::end(kDecayNames), name);
  user_check(found != std::end(kDecayNames), "unknown learning-rate decay '{}'; {}", name, suggest(name, kDecayNames));
  return static_cast<LearningRateSchedule::Decay>(found - std::begin(kDecayNames));
}

void check_options(const OptimizerOptions& options) { check_options(find_optimizer(options.kind), options); }

void check_options(const OptimizerDef& def, const OptimizerOptions& options) {
  const OptimizerOptions defaults = optimizer_defaults(def.name);
  for (const OptionField& field : kFields) check_field(def, field, options, defaults);
  user_check(!options.nesterov || options.momentum > 0, "optimizer '{}': nesterov needs a momentum above 0", def.name);
  check_schedule(options.schedule);
  for (const ParameterGroup& group : options.groups) check_group(group);
}

std::span<const OptimizerDef* const> optimizer_defs() {
  static constexpr const OptimizerDef* kDefs[] = {
#define CAVS_OPTIMIZER(Name) &k##Name,
#include "update/optimizer_list.inc"
#undef CAVS_OPTIMIZER
  };
  return kDefs;
}

std::vector<std::string_view> optimizer_kinds() {
  std::vector<std::string_view> kinds;
  for (const OptimizerDef* def : optimizer_defs()) kinds.push_back(def->name);
  return kinds;
}

const OptimizerDef& find_optimizer(std::string_view kind) {
  for (const OptimizerDef* def : optimizer_defs())
    if (def->name == kind) return *def;
  user_error("unknown optimizer '{}'; {}", kind, suggest(kind, optimizer_kinds()));
}

OptimizerOptions optimizer_defaults(std::string_view kind) {
  OptimizerOptions options;
  const OptimizerDef& def = find_optimizer(kind);
  options.kind = kind;
  def.set_defaults(options);
  return options;
}

}  // namespace cavs::inline v0_1
