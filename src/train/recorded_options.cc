#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "cavs/checkpoint.h"
#include "support/check.h"
#include "support/json_check.h"

namespace cavs::inline v0_1 {

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

std::string current_passes(const std::string& kept, std::string_view separator) {
  std::vector<std::string> passes;
  for (std::size_t begin = 0; begin < kept.size();) {
    const std::size_t end = std::min(kept.find(separator, begin), kept.size());
    const std::string name = kept.substr(begin, end - begin);
    if (name != "share_children") passes.push_back(name == "side_by_side" ? "task_parallel" : name);
    begin = end + separator.size();
  }
  return fmt::format("{}", fmt::join(passes, separator));
}

}  // namespace cavs::inline v0_1
