#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "schedule/fsm.h"
#include "support/check.h"
#include "support/file.h"
#include "support/json_check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

using Json = nlohmann::ordered_json;  // writes fields in the order in which they are added

constexpr const char* kFormat = "cavs-policy";
constexpr std::int64_t kVersion = 1;
constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;
constexpr std::string_view kPolicyFile = "a policy, as save_policy writes it";
constexpr std::array kEncodings{"base", "max", "sort", "phase"};

/// Calls f(name, member) for every option but the encoding.
template <typename F>
void each_option(F f) {
  f("samples", &LearnOptions::samples);
  f("held_out", &LearnOptions::held_out);
  f("trials", &LearnOptions::trials);
  f("check_every", &LearnOptions::check_every);
  f("reward_weight", &LearnOptions::reward_weight);
  f("learning_rate", &LearnOptions::learning_rate);
  f("discount", &LearnOptions::discount);
  f("steps", &LearnOptions::steps);
  f("epsilon", &LearnOptions::epsilon);
  f("phases", &LearnOptions::phases);
  f("seed", &LearnOptions::seed);
}

template <typename F>
void each_figure(F f) {
  using Record = LearnedPolicy::Record;
  f("vertices", &Record::vertices);
  f("trials", &Record::trials);
  f("tasks", &Record::tasks);
  f("lower_bound", &Record::lower_bound);
  f("ratio_tasks", &Record::ratio_tasks);
}

/// Reads the states of a policy whose types and options are known.
class RuleReader {
 public:
  RuleReader(const LearnedPolicy& policy, std::string where) : policy_(policy), where_(std::move(where)) {}

  LearnedPolicy::Rule read(const nlohmann::json& json) {
    LearnedPolicy::Rule rule;
    JsonFields fields(json, where_);
    for (const auto& name : fields.list("ready")) {
      user_check(name.is_string(), "{}: 'ready' contains {}; expected names of types", where_,
                 name.dump(-1, ' ', true));
      const std::int32_t type = type_of(name.get<std::string>());
      user_check(std::ranges::find(rule.ready, type) == rule.ready.end(), "{}: duplicate type '{}' in a state", where_,
                 policy_.types[type]);
      rule.ready.push_back(type);
    }
    std::int64_t phase = 0;
    if (policy_.options.encoding == StateEncoding::kPhase) fields.read("phase", phase);
    user_check(phase < policy_.options.phases, "{}: phase is {}; expected less than {}", where_, phase,
               policy_.options.phases);
    rule.phase = static_cast<std::int32_t>(phase);
    std::string next;
    fields.read("next", next);
    rule.next = type_of(next);
    user_check(std::ranges::find(rule.ready, rule.next) != rule.ready.end(),
               "{}: next is '{}', but no vertex of that type is ready in that state", where_, next);
    fields.finish();
    FrontierState state = rule.ready;
    state.push_back(rule.phase);
    user_check(seen_.insert(std::move(state)).second, "{}: duplicate state", where_);
    return rule;
  }

 private:
  std::int32_t type_of(const std::string& name) const {
    const auto found = std::ranges::find(policy_.types, name);
    user_check(found != policy_.types.end(), "{}: unknown type '{}'; {}", where_, name, suggest(name, policy_.types));
    return static_cast<std::int32_t>(found - policy_.types.begin());
  }

  const LearnedPolicy& policy_;
  std::string where_;
  std::set<FrontierState> seen_;
};

void read_types(const nlohmann::json& list, const std::string& where, std::vector<std::string>& types) {
  for (const auto& type : list) {
    user_check(type.is_string(), "{}: 'types' contains {}; expected names", where, type.dump(-1, ' ', true));
    const auto name = type.get<std::string>();
    user_check(std::ranges::find(types, name) == types.end(), "{}: duplicate type '{}'", where, name);
    types.push_back(name);
  }
}

std::uint64_t fingerprint_from(const std::string& text, const std::string& where) {
  user_check(text.size() == 16 && text.find_first_not_of("0123456789abcdef") == text.npos,
             "{}: fingerprint is '{}'; expected 16 hexadecimal digits", where, text);
  return std::stoull(text, nullptr, 16);
}

/// Parses a policy file. Text without the format's name is not a policy; other invalid JSON is damaged.
nlohmann::json policy_document(const std::string& text, const std::string& where) {
  constexpr int kDepth = 4;
  user_check(text.find(kFormat) != text.npos, "{}: expected {}; found {}", where, kPolicyFile, describe_file(text));
  try {
    return parse_json(text, kDepth, where);
  } catch (const UserError& error) {
    user_error("{}; the policy is damaged: learn it again, or use another copy", error.what());
  }
}

}  // namespace

const char* encoding_name(StateEncoding encoding) { return kEncodings[static_cast<std::size_t>(encoding)]; }

StateEncoding find_encoding(const std::string& name) {
  static const std::vector<std::string_view> known(kEncodings.begin(), kEncodings.end());
  const auto found = std::ranges::find(known, name);
  user_check(found != known.end(), "unknown encoding '{}'; {}", name, suggest(name, known));
  return static_cast<StateEncoding>(found - known.begin());
}

std::string policy_to_json(const LearnedPolicy& policy) {
  Json states = Json::array(), options = Json::object(), training = Json::object();
  for (const LearnedPolicy::Rule& rule : policy.rules) {
    Json ready = Json::array();
    for (const std::int32_t type : rule.ready) ready.push_back(policy.types[type]);
    Json state{{"ready", std::move(ready)}};
    if (policy.options.encoding == StateEncoding::kPhase) state["phase"] = rule.phase;
    state["next"] = policy.types[rule.next];
    states.push_back(std::move(state));
  }
  each_option([&](const char* name, auto member) { options[name] = policy.options.*member; });
  each_figure([&](const char* name, auto member) { training[name] = policy.record.*member; });
  const Json json{{"format", kFormat},
                  {"format_version", kVersion},
                  {"model", policy.model},
                  {"fingerprint", fmt::format("{:016x}", policy.fingerprint)},
                  {"types", policy.types},
                  {"encoding", encoding_name(policy.options.encoding)},
                  {"options", std::move(options)},
                  {"states", std::move(states)},
                  {"training", std::move(training)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

LearnedPolicy policy_from_json(const std::string& text, const std::string& where) {
  const nlohmann::json json = policy_document(text, where);
  JsonFields fields(json, where);
  LearnedPolicy policy;
  std::string format, fingerprint, encoding;
  std::int64_t version = 0;
  fields.read("format", format);
  user_check(format == kFormat, "{}: the format is '{}'; expected '{}'", where, format, kFormat);
  fields.read("format_version", version);
  user_check(version == kVersion, "{}: format_version is {}; this version of cavs reads {}", where, version, kVersion);
  fields.read("model", policy.model);
  fields.read("fingerprint", fingerprint);
  policy.fingerprint = fingerprint_from(fingerprint, where);
  read_types(fields.list("types"), where, policy.types);
  fields.read("encoding", encoding);
  policy.options.encoding = find_encoding(encoding);
  JsonFields options(fields.get("options"), where + ": options"),
      training(fields.get("training"), where + ": training");
  each_option([&](const char* name, auto member) { options.read(name, policy.options.*member); });
  each_figure([&](const char* name, auto member) { training.read(name, policy.record.*member); });
  options.finish();
  training.finish();
  check_learning(policy.options, where);
  RuleReader reader(policy, where + ": states");
  for (const auto& rule : fields.list("states")) policy.rules.push_back(reader.read(rule));
  fields.finish();
  return policy;
}

void save_policy(const std::string& path, const LearnedPolicy& policy) {
  const std::string text = policy_to_json(policy);
  const std::array parts{std::as_bytes(std::span(text))};
  write_file_atomically(path, parts);
}

LearnedPolicy load_policy(const std::string& path) {
  const auto bytes = read_file(path, kMaxBytes, kPolicyFile);
  return policy_from_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace cavs::inline v0_1
