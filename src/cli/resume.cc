#include "cli/resume.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "cavs/evaluator.h"
#include "cavs/graph.h"
#include "cli/policy_option.h"
#include "cli/rate_options.h"
#include "cli/word_vectors.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char *kKey = "train_options", *kSamplesPerStep = "samples of a step";
constexpr const char* kGroups = "--lr and --freeze of parameters";
constexpr const char* kDevKey = "content of the development data";

constexpr RemovedOption kRemovedOptions[] = {
    {"--order-rows", "0"}, {"--share-equal", "off"}, {"--transposed-copies", "on"}};

/// Returns the option of the command that sets an entry of Trainer::trained_by. If there is no such option, returns the
/// name itself; if the command always uses the same value, an empty text.
std::string_view option_of(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
      {"accumulate", "--accumulate"},   {"batch_size", "--batch-size"},
      {"buckets", "--bucket"},          {"clip_norm", "--clip"},
      {"disabled_passes", "--disable"}, {"policy", "--policy"},
      {"precision", "--precision"},     {"shuffle", ""},
      {"shuffle_buffer", "--stream"}};
  const auto found = std::ranges::find(kOptions, name, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kOptions) ? name : found->second;
}

/// Returns the CPU engine whose results are bit-identical to those of `engine`. Old checkpoints name engines that do
/// not exist.
std::string_view bits_of(std::string_view engine) {
  return engine == "persistent" || engine == "auto" ? to_string(EngineKind::kBatched) : engine;
}

}  // namespace

std::int64_t train_samples(const Dataset& data) {
  return data.stream != nullptr ? data.stream->samples() : data.train.size();
}

RecordedOptions recorded_options(const Options& options, const Trainer& trainer, const Dataset& data) {
  const TrainOptions& train = trainer.options();
  RecordedOptions recorded{{"model", options.model},
                           {"--hidden", fmt::format("{}", options.hidden)},
                           {"--embedding", fmt::format("{}", options.embedding)},
                           {"--dropout", fmt::format("{}", options.dropout)},
                           {"--class-weights", options.class_weights},
                           {"--label-smoothing", fmt::format("{}", options.label_smoothing)},
                           {"--ema", fmt::format("{}", options.ema)},
                           {"--seed", fmt::format("{}", train.seed)},
                           {kEngine, options.engine},
                           {kDevice, device_kind(options.device)},
                           {"--vocabulary", fmt::format("{}", options.vocabulary)},
                           {"--min-count", fmt::format("{}", options.min_count)},
                           {"--limit", fmt::format("{}", options.limit)},
                           {kGroups, describe_groups(train.optimizer)},
                           {"samples", fmt::format("{}", train_samples(data))},
                           {kDevKey, fmt::format("{:016x}", content_hash(data.dev))}};
  for (const auto& [name, value] : trainer.trained_by())
    if (const std::string_view option = option_of(name); !option.empty()) recorded[std::string(option)] = value;
  const nlohmann::json optimizer = nlohmann::json::parse(to_json(train.optimizer));
  for (const auto& [name, value] : optimizer.items())
    if (name != "schedule" && name != "groups") recorded["optimizer's " + name] = value.dump();
  for (const auto& [name, value] : optimizer.at("schedule").items()) recorded["learning rate's " + name] = value.dump();
  return recorded;
}

void record_options(const RecordedOptions& recorded, TrainingRecord& record) { keep_options(recorded, kKey, record); }

std::optional<std::string> recorded_option(const Checkpoint& checkpoint, const std::string& path,
                                           const std::string& name) {
  const auto kept = kept_options(checkpoint, kKey, path);
  if (!kept) return std::nullopt;
  const auto option = kept->find(name);
  return option == kept->end() ? std::nullopt : std::optional(option->second);
}

std::string device_kind(const std::string& device) { return std::string(to_string(device_named(device).kind)); }

std::string engine_to_resume(const std::string& recorded, const std::string& device) {
  return device == to_string(DeviceKind::kCpu) ? std::string(bits_of(recorded)) : recorded;
}

bool check_resumed(const Checkpoint& checkpoint, const RecordedOptions& recorded, const std::string& path,
                   bool new_dev) {
  std::optional<RecordedOptions> kept = kept_options(checkpoint, kKey, path);
  user_check(
      kept && checkpoint.optimizer,
      "{} was not saved by 'cavs train', so it does not record its options; only a file of 'cavs train' can be resumed",
      path);
  RecordedOptions& before = *kept;
  before.try_emplace("--precision", "fp32");  // defaults of options that older files lack
  before.try_emplace("--bucket", "0");
  before.try_emplace("--stream", "0");
  before.try_emplace(kGroups, "none");
  before.try_emplace("--vectors", kNoVectors);
  before.try_emplace("--class-weights", "");
  before.try_emplace("--label-smoothing", "0");
  before.try_emplace("--accumulate", "1");
  // --accumulate and the samples per step differ together, so only --accumulate is reported.
  if (before["--accumulate"] == "1" && recorded.contains(kSamplesPerStep))
    before[kSamplesPerStep] = recorded.at(kSamplesPerStep);
  if (!recorded.contains(kSamplesPerStep)) before.erase(kSamplesPerStep);
  before.try_emplace("--ema", "0");
  for (const char* name : {kDevKey, "--vocabulary", "--min-count", "--limit"})
    before.try_emplace(name, recorded.at(name));
  // Older files record decay_steps even if the decay does not use it.
  if (const std::string& decay = before["learning rate's decay"]; decay == R"("constant")" || decay == R"("plateau")")
    before["learning rate's decay_steps"] = "1";
  before["--policy"] = policy_kind(before["--policy"]);
  before["--disable"] = current_passes(before["--disable"]);
  const bool same_dev = before[kDevKey] == recorded.at(kDevKey);
  const bool is_on_gpu = before[kDevice] == recorded.at(kDevice) && before[kDevice] != to_string(DeviceKind::kCpu);
  before[kDevice] = recorded.at(kDevice);  // a resumed training may run on any device
  if (new_dev) before[kDevKey] = recorded.at(kDevKey);
  if (!is_on_gpu && bits_of(before[kEngine]) == bits_of(recorded.at(kEngine))) before[kEngine] = recorded.at(kEngine);
  const std::string differences = describe_differences(before, recorded, kRemovedOptions);
  user_check(differences.empty(), "{} was trained with other options or data; resume with the same{}:{}", path,
             same_dev || new_dev ? "" : " (or with --new-dev)", differences);
  return same_dev;
}

void forget_dev(TrainingRecord& record, Metric metric) {
  const std::size_t epochs = record.metrics["train_loss"].size();
  const auto forget = [&](const std::string& name) {
    record.metrics["dev_" + name].assign(epochs, std::numeric_limits<double>::quiet_NaN());
  };
  forget("loss");
  for (const MetricColumn& column : metric_info(metric).columns) forget(column.name);
}

}  // namespace cavs::cli
