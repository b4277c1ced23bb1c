#include "law/coverage.h"

#include <fmt/format.h>

#include <algorithm>

namespace cavs::law {

Coverage::Coverage() {
  for (const auto& [dimension, names] : all_traits())
    for (const std::string_view name : names) {
      numbers_[{dimension, name}] = traits_.size();
      traits_.push_back({dimension, name});
    }
  pairs_.assign(traits_.size(), std::vector<int>(traits_.size()));
  never_.assign(traits_.size(), std::vector<char>(traits_.size()));
  for (const Refusal& refusal : all_refusals()) {
    if (refusal.traits.size() != 2) continue;
    const auto first = refusal.traits.begin(), second = std::next(first);
    const std::size_t a = number(first->first, first->second), b = number(second->first, second->second);
    never_[a][b] = never_[b][a] = 1;
  }
}

std::size_t Coverage::number(std::string_view dimension, std::string_view name) const {
  return numbers_.at({dimension, name});
}

void Coverage::ran(const LawCase& of) {
  std::vector<std::size_t> found;
  for (const auto& [dimension, name] : traits(of)) found.push_back(number(dimension, name));
  for (const std::size_t a : found) {
    ++traits_[a].count;
    for (const std::size_t b : found) ++pairs_[a][b];
  }
  ++ran_;
}

bool Coverage::is_allowed(std::size_t a, std::size_t b) const {
  return traits_[a].dimension != traits_[b].dimension && never_[a][b] == 0;
}

std::string Coverage::text(std::size_t trait) const {
  return fmt::format("{} = {}", traits_[trait].dimension, traits_[trait].name);
}

std::string Coverage::table() const {
  std::string text = fmt::format("{} cases ran, {} were refused\n", ran_, refused_);
  text += "how often each value ran (its rarest pair):\n";
  for (std::size_t a = 0; a < traits_.size(); ++a) {
    if (a == 0 || traits_[a].dimension != traits_[a - 1].dimension) text += fmt::format("  {}:\n", traits_[a].dimension);
    std::size_t rarest = traits_.size();
    for (std::size_t b = 0; b < traits_.size(); ++b)
      if (is_allowed(a, b) && (rarest == traits_.size() || pairs_[a][b] < pairs_[a][rarest])) rarest = b;
    text += fmt::format("    {:<14}{:>7} ({} with {})\n", traits_[a].name, traits_[a].count, pairs_[a][rarest],
                        this->text(rarest));
  }
  return text;
}

std::string Coverage::rare_pairs(int least) const {
  std::string rare;
  for (std::size_t a = 0; a < traits_.size(); ++a)
    for (std::size_t b = a + 1; b < traits_.size(); ++b)
      if (is_allowed(a, b) && pairs_[a][b] < least)
        rare += fmt::format("{} and {}: {} times\n", text(a), text(b), pairs_[a][b]);
  return rare;
}

}  // namespace cavs::law
