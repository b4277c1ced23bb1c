#include "train/checkpoint_json.h"

#include "support/check.h"
#include "support/json_check.h"
#include "update/optimizer_options.h"

namespace cavs {
using Json = nlohmann::json;

Json options_to_json(const OptimizerOptions& options) {
  const LearningRateSchedule& s = options.schedule;
  Json json{{"kind", options.kind},
            {"schedule",
             {{"decay", decay_name(s.decay)},
              {"warmup_steps", s.warmup_steps},
              {"decay_steps", s.decay_steps},
              {"rate", s.rate},
              {"floor", s.floor}}}};
  for (const OptionField& field : option_fields())
    std::visit([&](auto member) { json[std::string(field.name)] = options.*member; }, field.member);
  return json;
}

OptimizerOptions options_from_json(const Json& json, const std::string& where) {
  OptimizerOptions options;
  JsonFields fields(json, where);
  fields.read("kind", options.kind);
  for (const OptionField& field : option_fields())
    std::visit([&](auto member) { fields.read(field.name, options.*member); }, field.member);
  JsonFields schedule(fields.get("schedule"), where + ": schedule");
  fields.finish();
  std::string decay;
  schedule.read("decay", decay);
  options.schedule.decay = find_decay(decay);
  schedule.read("warmup_steps", options.schedule.warmup_steps);
  schedule.read("decay_steps", options.schedule.decay_steps);
  schedule.read("rate", options.schedule.rate);
  schedule.read("floor", options.schedule.floor);
  schedule.finish();
  check_options(find_optimizer(options.kind), options);
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

}  // namespace cavs
