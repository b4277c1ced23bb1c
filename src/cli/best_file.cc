#include "cli/best_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cavs/error.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

std::vector<double> losses_of(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metrics.find("train_loss");
  return found == checkpoint.metrics.end() ? std::vector<double>() : found->second;
}

/// True if the checkpoints are from the same training; either may be the earlier one.
bool same_training(const Checkpoint& a, const Checkpoint& b) {
  const std::vector<double> first = losses_of(a), second = losses_of(b);
  const auto both = std::min(first.size(), second.size());
  return a.seed == b.seed && a.model == b.model && std::equal(first.begin(), first.begin() + both, second.begin());
}

/// Returns the reason why the file is not the best epoch of the resumed training; empty if it is.
std::string difference(const std::string& path, const Checkpoint& resumed, std::int64_t best) {
  try {
    const Checkpoint there = load_checkpoint(path);
    if (!same_training(there, resumed)) return "it is a checkpoint of another training than the resumed one";
    // The file has a later epoch than the resumed checkpoint if training was killed between saving the two.
    const auto epochs = std::ssize(losses_of(there));
    if (epochs != best && epochs <= std::ssize(losses_of(resumed)))
      return fmt::format("it holds epoch {}, but epoch {} is the best of the resumed training", epochs, best);
    return "";
  } catch (const UserError& error) {
    return fmt::format("it is not the best epoch of the resumed training: {}", error.what());
  }
}

}  // namespace

bool has_best_file(const std::string& path, const Checkpoint& resumed, std::int64_t best, bool overwrite) {
  if (!std::filesystem::exists(path)) return false;
  const std::string why = difference(path, resumed, best);
  user_check(why.empty() || overwrite,
             "--save-best {}: the file already exists, and {}; give another name, or --overwrite to replace it", path,
             why);
  return why.empty();
}

}  // namespace cavs::cli
