#include "train/checkpoint_json.h"

#include <algorithm>
#include <iterator>

#include "support/check.h"
#include "support/json_check.h"
#include "support/suggest.h"
#include "update/optimizer_options.h"

namespace cavs::inline v0_1 {
using Json = nlohmann::json;

namespace {

constexpr std::string_view kRates[] = {"times", "fixed", "frozen"};

Json group_to_json(const ParameterGroup& group) {
  return {{"pattern", group.pattern}, {"rate", kRates[static_cast<int>(group.rate)]}, {"value", group.value}};
}

ParameterGroup group_from_json(const Json& json, const std::string& where) {
  ParameterGroup group;
  std::string rate;
  JsonFields fields(json, where);
  fields.read("pattern", group.pattern);
  fields.read("rate", rate);
  fields.read("value", group.value);
  fields.finish();
  const auto found = std::ranges::find(kRates, rate);
  user_check(found != std::end(kRates), "{}: unknown rate '{}'; {}", where, rate, suggest(rate, kRates));
  group.rate = static_cast<ParameterGroup::Rate>(found - std::begin(kRates));
  return group;
}

}  // namespace

Json options_to_json(const OptimizerOptions& options) {
  const LearningRateSchedule& s = options.schedule;
  Json json{
      {"kind", options.kind},
      {"schedule",
       {{"decay", decay_name(s.decay)},
        {"warmup_steps", s.warmup_steps},
        {"decay_steps", s.counts_steps() ? s.decay_steps : 1},  // 1 for decays that do not use it, as in all files
        {"rate", s.rate},
        {"floor", s.floor}}}};
  if (s.decay == LearningRateSchedule::Decay::kPlateau) json["schedule"]["patience"] = s.patience;
  for (const OptionField& field : option_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = options.*member; }, field.member);
  // Written only if not empty, so that files equal those of earlier versions.
  for (const ParameterGroup& group : options.groups) json["groups"].push_back(group_to_json(group));
  return json;
}

std::string to_json(const OptimizerOptions& options) { return options_to_json(options).dump(); }

OptimizerOptions options_from_json(const Json& json, const std::string& where) {
  OptimizerOptions options;
  JsonFields fields(json, where);
  fields.read("kind", options.kind);
  for (const OptionField& field : option_fields())
    std::visit([&](auto member) { fields.read(field.name, options.*member); }, field.member);
  if (json.contains("groups"))
    for (const Json& group : fields.list("groups"))
      options.groups.push_back(group_from_json(group, where + ": groups"));
  JsonFields schedule(fields.get("schedule"), where + ": schedule");
  fields.finish();
  std::string decay;
  schedule.read("decay", decay);
  options.schedule.decay = find_decay(decay);
  schedule.read("warmup_steps", options.schedule.warmup_steps);
  std::int64_t decay_steps = 0;
  schedule.read("decay_steps", decay_steps);
  if (options.schedule.counts_steps()) options.schedule.decay_steps = decay_steps;
  schedule.read("rate", options.schedule.rate);
  schedule.read("floor", options.schedule.floor);
  if (options.schedule.decay == LearningRateSchedule::Decay::kPlateau)
    schedule.read("patience", options.schedule.patience);
  schedule.finish();
  check_options(options);
  return options;
}

Json position_to_json(const Checkpoint& checkpoint) {
  const Checkpoint::Position& p = checkpoint.position;
  return {{"seed", checkpoint.seed}, {"epoch", p.epoch}, {"sample", p.sample}, {"step", p.step}};
}

void position_from_json(const Json& json, Checkpoint& checkpoint, const std::string& where) {
  JsonFields fields(json, where);
  fields.read("seed", checkpoint.seed);
  fields.read("epoch", checkpoint.position.epoch);
  fields.read("sample", checkpoint.position.sample);
  fields.read("step", checkpoint.position.step);
  fields.finish();
  const auto& position = checkpoint.position;
  for (const std::int64_t number : {position.epoch, position.sample, position.step})
    user_check(number <= kMaxSteps, "{}: {} epochs, {} samples, {} steps; expected at most {} of each", where,
               position.epoch, position.sample, position.step, kMaxSteps);
}

}  // namespace cavs::inline v0_1
