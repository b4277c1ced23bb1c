#include "train/recorded_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cavs/policy.h"
#include "support/check.h"
#include "support/json_check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr const char *kDisabledPasses = "disabled_passes", *kPolicy = "policy";
/// Options that checkpoints of earlier Python packages contain.
constexpr RemovedOption kRemovedOptions[] = {{"share_equal", "off"}, {"transposed_copies", "True"}};

}  // namespace

void keep_options(const RecordedOptions& options, const std::string& key, TrainingRecord& record) {
  record.extra[key] = nlohmann::json(options).dump();
}

std::optional<RecordedOptions> kept_options(const TrainingRecord& record, const std::string& key,
                                            const std::string& path) {
  constexpr int kMaxNesting = 4;
  const auto kept = record.extra.find(key);
  if (kept == record.extra.end()) return std::nullopt;
  try {
    return parse_json(kept->second, kMaxNesting, path).get<RecordedOptions>();
  } catch (const nlohmann::json::exception& e) {
    user_error("{}: its training options are not readable: {}", path, e.what());
  }
}

namespace {

std::string describe_missing(const std::string& name, const std::string& kept,
                             std::span<const RemovedOption> all_removed) {
  const auto removed = std::ranges::find(all_removed, name, &RemovedOption::name);
  if (removed == all_removed.end()) return fmt::format("\n  {}: {} in the checkpoint, none here", name, kept);
  if (removed->neutral == kept) return "";
  return fmt::format("\n  {}: {} in the checkpoint; this version has no such option, and trains as with {}", name, kept,
                     removed->neutral);
}

}  // namespace

std::string describe_differences(const RecordedOptions& kept, const RecordedOptions& here,
                                 std::span<const RemovedOption> removed) {
  std::string lines;
  for (const auto& [name, value] : here) {
    const auto at = kept.find(name);
    const std::string was = at == kept.end() ? "none" : at->second;
    if (was != value) lines += fmt::format("\n  {}: {} in the checkpoint, {} here", name, was, value);
  }
  for (const auto& [name, value] : kept)
    if (!here.contains(name)) lines += describe_missing(name, value, removed);
  return lines;
}

std::string current_passes(const std::string& kept) {
  std::vector<std::string> passes;
  std::istringstream names(kept);
  for (std::string name; std::getline(names >> std::ws, name, ',');)
    if (name != "share_children") passes.push_back(name == "side_by_side" ? "task_parallel" : name);
  return fmt::format("{}", fmt::join(passes, ","));
}

RecordedOptions trained_by(const TrainOptions& options, const Batches& batches) {
  const auto text = [](bool on) { return on ? "True" : "False"; };
  RecordedOptions recorded{{"accumulate", fmt::format("{}", options.accumulate)},
                           {"batch_size", fmt::format("{}", options.batch_size)},
                           {"buckets", fmt::format("{}", options.buckets)},
                           {"clip_norm", fmt::format("{}", options.clip_norm)},
                           {"content of the data", fmt::format("{:016x}", batches.content_hash())},
                           {kDisabledPasses, fmt::format("{}", fmt::join(options.disabled_passes, ","))},
                           {kPolicy, policy_kind(options.session.policy)},
                           {"precision", std::string(to_string(options.session.precision))},
                           {"shuffle", text(options.shuffle)},
                           {"shuffle_buffer", fmt::format("{}", batches.streams() ? options.shuffle_buffer : 0)}};
  if (options.accumulate > 1) recorded["samples of a step"] = "dealt by size";  // absent in older files
  return recorded;
}

void expect_same_training(const Checkpoint& checkpoint, const RecordedOptions& here) {
  std::optional<RecordedOptions> kept = kept_options(checkpoint, kTrainedByKey, "the checkpoint");
  if (!kept) return;
  if (const auto passes = kept->find(kDisabledPasses); passes != kept->end())
    passes->second = current_passes(passes->second);
  if (const auto policy = kept->find(kPolicy); policy != kept->end()) policy->second = policy_kind(policy->second);
  const std::string differences = describe_differences(*kept, here, kRemovedOptions);
  user_check(differences.empty(),
             "the checkpoint was trained differently; train with the same options and data, or restore it with "
             "`strict` off (results then differ from those of uninterrupted training):{}",
             differences);
}

}  // namespace cavs::inline v0_1
