#include "layout/operand_views.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace cavs::inline v0_1 {

SharedElements find_sharing(const Elements& elements) {
  SharedElements sharing;
  std::map<std::vector<std::int32_t>, std::int32_t> groups;
  std::vector<std::int32_t> times;
  for (const auto& element : elements) {
    const auto [it, is_new] = groups.emplace(element, static_cast<std::int32_t>(groups.size()));
    if (is_new) {
      sharing.values.push_back(element);
      times.push_back(0);
    }
    sharing.group.push_back(it->second);
    ++times[it->second];
  }
  std::set<std::int32_t> seen;
  bool apart = true;
  for (const auto& value : sharing.values)
    for (std::int32_t variable : value) apart = apart && seen.insert(variable).second;
  const bool equal = std::all_of(times.begin(), times.end(), [&](std::int32_t t) { return t == times[0]; });
  sharing.times = apart && equal && !seen.empty() ? times[0] : 0;
  return sharing;
}

std::vector<std::int32_t> ranks_of(std::span<const Variable> variables, std::span<const std::int32_t> order) {
  std::vector<std::int32_t> ranks(variables.size()), next(variables.size(), 0);
  for (std::int32_t variable : order) ranks[variable] = next[variables[variable].storage]++;
  return ranks;
}

/// Returns the numbers of the elements (of the batch's nodes), sorted by position in memory.
std::vector<std::int32_t> ViewFinder::sequence_of(const Elements& elements) const {
  std::vector<std::int32_t> sequence(elements.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  std::sort(sequence.begin(), sequence.end(), [&](std::int32_t a, std::int32_t b) {
    const std::int32_t left = ranks[elements[a].front()], right = ranks[elements[b].front()];
    return std::pair(left, a) < std::pair(right, b);
  });
  return sequence;
}

/// True if the elements are adjacent in memory in this sequence. Equal ones must adjoin, all equally often.
bool ViewFinder::is_view(const Elements& elements, std::span<const std::int32_t> sequence) const {
  const SharedElements sharing = find_sharing(elements);
  if (sharing.times == 0 || (!share && sharing.times > 1)) return false;
  std::int32_t before = -1;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    const auto& element = elements[sequence[i]];
    const bool first_of_run = i % sharing.times == 0;
    if (!first_of_run && sharing.group[sequence[i]] != sharing.group[sequence[i - 1]]) return false;
    if (!first_of_run) continue;
    for (std::int32_t variable : element) {
      if (before >= 0 &&
          (ranks[variable] != ranks[before] + 1 || variables[variable].storage != variables[before].storage))
        return false;
      before = variable;
    }
  }
  return true;
}

ViewFinder::Found ViewFinder::find(std::span<const Elements* const> operands, std::span<const CopyCost> costs,
                                   std::int64_t rows) const {
  Found best;
  for (const Elements* by : operands) {
    if (by->front().empty()) continue;
    Found found{sequence_of(*by), {}, {}};
    for (std::size_t o = 0; o < operands.size(); ++o) {
      found.views.push_back(is_view(*operands[o], found.sequence) ? 1 : 0);
      if (found.views.back() == 0) found.copies += costs[o];
    }
    if (best.views.empty() || found.copies.bytes(rows) < best.copies.bytes(rows)) best = std::move(found);
  }
  return best;
}

}  // namespace cavs::inline v0_1
