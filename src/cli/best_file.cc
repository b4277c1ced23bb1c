#include "cli/best_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cavs/error.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

/// Of one training, whichever of the two is the later one.
bool same_training(const Checkpoint& a, const Checkpoint& b) {
  const auto losses = [](const Checkpoint& of) {
    const auto found = of.metrics.find("train_loss");
    return found == of.metrics.end() ? std::vector<double>() : found->second;
  };
  const std::vector<double> first = losses(a), second = losses(b);
  const auto both = std::min(first.size(), second.size());
  return a.seed == b.seed && a.model == b.model && std::equal(first.begin(), first.begin() + both, second.begin());
}

/// Why the file is not of that training; empty: it is.
std::string difference(const std::string& path, const Checkpoint& resumed) {
  try {
    return same_training(load_checkpoint(path), resumed)
               ? ""
               : "it is the checkpoint of another training than the one that is resumed";
  } catch (const UserError& error) {
    return fmt::format("it is not the best epoch of the training that is resumed: {}", error.what());
  }
}

}  // namespace

bool has_best_file(const std::string& path, const Checkpoint& resumed, bool overwrite) {
  if (!std::filesystem::exists(path)) return false;
  const std::string why = difference(path, resumed);
  user_check(why.empty() || overwrite,
             "--save-best {}: this file is there already, and {}; give another name, or --overwrite to replace it",
             path, why);
  return why.empty();
}

}  // namespace cavs::cli
