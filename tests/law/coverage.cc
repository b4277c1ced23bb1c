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
  std::string table =
      fmt::format("{} cases ran, {} were refused; how often each value ran [rarest pair]:\n", ran_, refused_);
  for (std::size_t a = 0; a < traits_.size();) {
    const std::string_view dimension = traits_[a].dimension;
    table += fmt::format("  {}:", dimension);
    std::pair<std::size_t, std::size_t> rarest{traits_.size(), 0};
    for (; a < traits_.size() && traits_[a].dimension == dimension; ++a) {
      table += fmt::format(" {} {},", traits_[a].name, traits_[a].count);
      for (std::size_t b = 0; b < traits_.size(); ++b)
        if (is_allowed(a, b) && (rarest.first == traits_.size() || pairs_[a][b] < pairs_[rarest.first][rarest.second]))
          rarest = {a, b};
    }
    const auto [x, y] = rarest;
    table.back() = ' ';
    table += fmt::format("[{}: {} and {}]\n", pairs_[x][y], traits_[x].name, text(y));
  }
  return table;
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
