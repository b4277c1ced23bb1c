#include "zoo/coverage.h"

#include <fmt/format.h>

#include <map>

namespace cavs::zoo {
namespace {

/// True if any case that is not refused has these values of dimensions.
bool fit_together(const std::map<std::size_t, int>& values) {
  std::set<std::size_t> keep;
  ZooCase of(all_dimensions().size());
  for (const auto& [d, v] : values) {
    of[d] = v;
    keep.insert(d);
  }
  Numbers numbers(1);
  for (int tries = 0; tries < 3; ++tries)
    if (ZooCase repaired = of; repair(numbers, repaired, keep)) return true;
  return false;
}

}  // namespace

Coverage::Coverage() {
  const auto& dimensions = all_dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    numbers_.emplace_back();
    for (int v = 0; v < std::ssize(dimensions[d].values); ++v) {
      numbers_[d].push_back(values_.size());
      values_.push_back({d, v});
    }
  }
  pairs_.assign(values_.size(), std::vector<int>(values_.size()));
  never_.assign(values_.size(), std::vector<char>(values_.size()));
  for (std::size_t a = 0; a < values_.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      const bool other = a != b && values_[a].dimension == values_[b].dimension;
      never_[a][b] = never_[b][a] = other || !fit_together({{values_[a].dimension, values_[a].number},
                                                            {values_[b].dimension, values_[b].number}});
    }
}

void Coverage::ran(const ZooCase& of, const std::set<std::string>& commands) {
  ++cases_;
  if (commands.empty()) return;
  ++ran_;
  std::vector<std::size_t> found;
  for (std::size_t d = 0; d < of.size(); ++d)
    if (const std::string& command = all_dimensions()[d].command; command == "law" || commands.contains(command))
      found.push_back(numbers_[d][of[d]]);
  for (const std::size_t a : found)
    for (const std::size_t b : found) ++pairs_[a][b];
}

std::string Coverage::text(std::size_t value) const {
  const auto& [d, v] = values_[value];
  const std::string& text = all_dimensions()[d].values[v];
  return fmt::format("{} = {}", all_dimensions()[d].name, text.empty() ? "(not given)" : text);
}

std::string Coverage::table() const {
  std::string table =
      fmt::format("{} cases, {} of them trained\nhow often each value ran (its rarest pair):\n", cases_, ran_);
  for (std::size_t a = 0; a < values_.size(); ++a) {
    std::size_t rarest = values_.size();
    for (std::size_t b = 0; b < values_.size(); ++b)
      if (a != b && is_allowed(a, b) && (rarest == values_.size() || pairs_[a][b] < pairs_[a][rarest])) rarest = b;
    const std::string pair =
        rarest == values_.size() ? "refused with all" : fmt::format("{} with {}", pairs_[a][rarest], text(rarest));
    table += fmt::format("  {:<46}{:>6} ({})\n", text(a), pairs_[a][a], pair);
  }
  return table;
}

std::string Coverage::rare_pairs(int least) const {
  std::string rare;
  for (std::size_t a = 0; a < values_.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (is_allowed(a, b) && pairs_[a][b] < least)
        rare += fmt::format("{} and {}: {} times\n", text(b), text(a), pairs_[a][b]);
  return rare;
}

}  // namespace cavs::zoo
