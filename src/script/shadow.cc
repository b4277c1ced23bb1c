#include "script/shadow.h"

#include <algorithm>

namespace cavs {

void Clocks::join(std::int32_t p, std::int32_t other, const std::vector<std::int32_t>& then) {
  for (std::int32_t q = 0; q < processors_; ++q)
    known_[index(p, q)] = std::max(known_[index(p, q)], then[index(other, q)]);
}

void Clocks::meet(std::int32_t entries) { std::ranges::fill(known_, entries); }

bool Shadow::may_read(std::int64_t at, std::int32_t p, const Clocks& clocks) const {
  const auto [by, entry] = written_[static_cast<std::size_t>(at)];
  if (by == p || by == kNobody || by == kCaller) return true;
  if (by >= 0) return clocks.known(p, by) > entry;
  for (std::int32_t q = 0; q < static_cast<std::int32_t>(read_.size()); ++q)
    if (q != p && clocks.known(p, q) <= entry) return false;
  return true;
}

bool Shadow::may_write(std::int64_t at, std::int32_t p, const Clocks& clocks) const {
  if (!may_read(at, p, clocks)) return false;
  for (std::int32_t q = 0; q < static_cast<std::int32_t>(read_.size()); ++q)
    if (q != p && read_[static_cast<std::size_t>(q)][static_cast<std::size_t>(at)] > clocks.known(p, q)) return false;
  return true;
}

}  // namespace cavs
