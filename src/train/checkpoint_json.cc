#include "train/checkpoint_json.h"

#include "support/check.h"
#include "train/optimizer_options.h"

namespace cavs {
namespace {

using Json = nlohmann::json;

/// The fields of an object, each asked for once.
class Fields {
 public:
  Fields(const Json& json, const std::string& where) : json_(json), where_(where) {
    user_check(json.is_object(), "{}: expected a JSON object", where);
  }
  const Json& get(std::string_view key) {
    const auto found = json_.find(key);
    user_check(found != json_.end(), "{}: field '{}' is missing", where_, key);
    ++asked_;
    return *found;
  }
  void read(std::string_view key, double& value) {
    const Json& field = get(key);
    user_check(field.is_number(), "{}: field '{}' is {}; expected a number", where_, key, text(field));
    value = field.get<double>();
  }
  void read(std::string_view key, bool& value) {
    const Json& field = get(key);
    user_check(field.is_boolean(), "{}: field '{}' is {}; expected true or false", where_, key, text(field));
    value = field.get<bool>();
  }
  void read(std::string_view key, std::uint64_t& value) {
    const Json& field = get(key);
    user_check(field.is_number_unsigned(), "{}: field '{}' is {}; expected an integer from 0", where_, key,
               text(field));
    value = field.get<std::uint64_t>();
  }
  void read(std::string_view key, std::int64_t& value) {
    std::uint64_t number = 0;
    read(key, number);
    user_check(number <= std::uint64_t{INT64_MAX}, "{}: field '{}' is {}; too large", where_, key, number);
    value = static_cast<std::int64_t>(number);
  }
  void read(std::string_view key, std::string& value) {
    const Json& field = get(key);
    user_check(field.is_string(), "{}: field '{}' is {}; expected a text", where_, key, text(field));
    value = field.get<std::string>();
  }
  void finish() const {
    user_check(asked_ == json_.size(), "{}: {} fields found, {} known", where_, json_.size(), asked_);
  }

 private:
  static std::string text(const Json& field) { return field.dump(-1, ' ', true); }

  const Json& json_;
  std::string where_;
  std::size_t asked_ = 0;
};

}  // namespace

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
  Fields fields(json, where);
  fields.read("kind", options.kind);
  for (const OptionField& field : option_fields())
    std::visit([&](auto member) { fields.read(field.name, options.*member); }, field.member);
  Fields schedule(fields.get("schedule"), where + ": schedule");
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
  Fields fields(json, where);
  fields.read("seed", checkpoint.seed);
  fields.read("epoch", checkpoint.position.epoch);
  fields.read("sample", checkpoint.position.sample);
  fields.read("step", checkpoint.position.step);
  fields.finish();
}

}  // namespace cavs
