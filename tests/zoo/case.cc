#include "zoo/case.h"

#include <algorithm>
#include <stdexcept>

namespace cavs::zoo {
namespace {

int number_of(const Dimension& dimension, std::string_view value) {
  const auto found = std::ranges::find(dimension.values, value);
  if (found == dimension.values.end())
    throw std::logic_error(dimension.name + " has no value '" + std::string(value) + "'");
  return static_cast<int>(found - dimension.values.begin());
}

template <typename T>
const T& any_of(Numbers& numbers, const std::vector<T>& all) {
  return all[numbers.below(static_cast<int>(all.size()))];
}

}  // namespace

const std::string& value(const ZooCase& of, std::string_view dimension) {
  const std::size_t d = dimension_named(dimension);
  return all_dimensions()[d].values[of[d]];
}

void set(ZooCase& of, std::string_view dimension, std::string_view value) {
  const std::size_t d = dimension_named(dimension);
  of[d] = number_of(all_dimensions()[d], value);
}

std::vector<const Refusal*> refusals_of(const ZooCase& of, std::string_view command) {
  std::vector<const Refusal*> all;
  for (const Refusal& refusal : all_refusals()) {
    const auto holds = [&](const Refusal::Part& part) { return part.values[of[part.dimension]] != 0; };
    if ((command.empty() || refusal.command == command) && std::ranges::all_of(refusal.when, holds))
      all.push_back(&refusal);
  }
  return all;
}

bool repair(Numbers& numbers, ZooCase& of, const std::set<std::size_t>& keep) {
  const std::size_t model = dimension_named("train MODEL");
  for (int tries = 0; tries < 100; ++tries) {
    const auto refusals = refusals_of(of, "");
    if (refusals.empty()) return true;
    const bool keeps_model = numbers.below(8) != 0;              // most options fit few models
    std::vector<std::vector<std::pair<std::size_t, int>>> ways;  // grouped by dimension
    for (const auto& [d, values] : refusals[0]->when) {
      if (keep.contains(d) || (d == model && keeps_model)) continue;
      std::vector<std::pair<std::size_t, int>> of_dimension;
      for (std::size_t v = 0; v < values.size(); ++v)
        if (values[v] == 0) of_dimension.emplace_back(d, static_cast<int>(v));
      if (!of_dimension.empty()) ways.push_back(std::move(of_dimension));
    }
    if (ways.empty()) continue;
    const auto& [d, v] = any_of(numbers, any_of(numbers, ways));
    of[d] = v;
  }
  return false;
}

ZooCase draw_case(std::uint64_t seed) {
  Numbers numbers(seed);
  for (int i = 0; i < 4; ++i) numbers.next();
  ZooCase drawn;
  for (const Dimension& dimension : all_dimensions()) {
    const auto count = static_cast<int>(dimension.values.size());
    const bool any = dimension.percent == 100;  // all values are equally likely
    const bool other = count > 1 && numbers.below(100) < dimension.percent;
    drawn.push_back(any ? numbers.below(count) : other ? 1 + numbers.below(count - 1) : 0);
  }
  if (numbers.below(30) != 0) repair(numbers, drawn);
  return drawn;
}

std::vector<ZooCase> smaller(const ZooCase& of) {
  std::vector<ZooCase> all;
  for (std::size_t d = 0; d < of.size(); ++d)
    if (of[d] != 0) {
      ZooCase& other = all.emplace_back(of);
      other[d] = 0;
    }
  return all;
}

}  // namespace cavs::zoo
