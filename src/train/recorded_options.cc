#include "train/recorded_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "support/check.h"
#include "support/json_check.h"

namespace cavs {

void keep_options(const RecordedOptions& options, const std::string& key, Checkpoint& checkpoint) {
  checkpoint.extra[key] = nlohmann::json(options).dump();
}

std::optional<RecordedOptions> kept_options(const Checkpoint& checkpoint, const std::string& key,
                                            const std::string& path) {
  constexpr int kMaxNesting = 4;
  const auto kept = checkpoint.extra.find(key);
  if (kept == checkpoint.extra.end()) return std::nullopt;
  try {
    return parse_json(kept->second, kMaxNesting, path).get<RecordedOptions>();
  } catch (const nlohmann::json::exception& e) {
    user_error("{}: its training options are not readable: {}", path, e.what());
  }
}

std::string describe_difference(const std::string& name, const std::string& kept, const std::string& here) {
  return fmt::format("\n  {}: {} in the checkpoint, {} here", name, kept, here);
}

}  // namespace cavs
