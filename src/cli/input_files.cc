#include "cli/input_files.h"

#include <string_view>

#include "cavs/error.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

template <typename Load>
auto load_or_name_command(Load load, const std::string& path, std::string_view kind, std::string_view command) {
  try {
    return load(path);
  } catch (const UserError& error) {
    if (std::string_view(error.what()).find(kind) == std::string_view::npos) throw;
    user_error("{}; '{}' writes one", error.what(), command);
  }
}

}  // namespace

Checkpoint read_checkpoint(const std::string& path, Job* job) {
  const auto load = [job](const std::string& p) {
    return job == nullptr ? load_checkpoint(p) : load_checkpoint(p, *job);
  };
  return load_or_name_command(load, path, "expected a checkpoint", "cavs train MODEL --save FILE");
}

LearnedPolicy read_policy(const std::string& path) {
  return load_or_name_command(load_policy, path, "expected a policy", "cavs learn-policy MODEL --data SPEC -o FILE");
}

}  // namespace cavs::cli
