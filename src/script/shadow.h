#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace cavs::inline v0_1 {

/// Vector clocks: how many entries of every processor each processor knows to be done.
class Clocks {
 public:
  explicit Clocks(std::int32_t processors)
      : processors_(processors), known_(static_cast<std::size_t>(processors) * processors) {}

  /// Returns n if `p` knows that the entries of `other` with numbers below n are done.
  std::int32_t known(std::int32_t p, std::int32_t other) const { return known_[index(p, other)]; }
  void set(std::int32_t p, std::int32_t other, std::int32_t entries) { known_[index(p, other)] = entries; }
  const std::vector<std::int32_t>& all() const { return known_; }
  /// Raises p's clock to the clock that `other` had in `then`, an earlier copy of all().
  void join(std::int32_t p, std::int32_t other, const std::vector<std::int32_t>& then) {
    for (std::int32_t q = 0; q < processors_; ++q)
      known_[index(p, q)] = std::max(known_[index(p, q)], then[index(other, q)]);
  }
  /// Records a rendezvous: all processors know that entries with numbers below `entries` are done.
  void meet(std::int32_t entries) { std::ranges::fill(known_, entries); }

 private:
  std::size_t index(std::int32_t p, std::int32_t other) const {
    return static_cast<std::size_t>(p) * static_cast<std::size_t>(processors_) + static_cast<std::size_t>(other);
  }
  std::int32_t processors_;
  std::vector<std::int32_t> known_;
};

/// Records the last writer and the last readers of each number of a buffer.
class Shadow {
 public:
  /// The last writer is a processor's number, kNobody, kSome (a processor that the executor chooses), or kCaller.
  static constexpr std::int32_t kNobody = -1, kSome = -2, kCaller = -3;

  Shadow(std::int64_t numbers, std::int32_t processors)
      : written_(static_cast<std::size_t>(numbers)),
        read_(static_cast<std::size_t>(processors), std::vector<std::int32_t>(static_cast<std::size_t>(numbers))) {}

  std::int64_t size() const { return static_cast<std::int64_t>(written_.size()); }
  bool is_written(std::int64_t at) const { return written_[static_cast<std::size_t>(at)].by != kNobody; }
  /// True if `p` knows that the last write of the number is done.
  bool may_read(std::int64_t at, std::int32_t p, const Clocks& clocks) const {
    const auto [by, entry] = written_[static_cast<std::size_t>(at)];
    if (by == p || by == kNobody || by == kCaller) return true;
    if (by >= 0) return clocks.known(p, by) > entry;
    for (std::int32_t q = 0; q < static_cast<std::int32_t>(read_.size()); ++q)
      if (q != p && clocks.known(p, q) <= entry) return false;
    return true;
  }
  /// True if may_read(), and `p` knows that all reads by other processors are done.
  bool may_write(std::int64_t at, std::int32_t p, const Clocks& clocks) const {
    if (!may_read(at, p, clocks)) return false;
    for (std::int32_t q = 0; q < static_cast<std::int32_t>(read_.size()); ++q)
      if (q != p && read_[static_cast<std::size_t>(q)][static_cast<std::size_t>(at)] > clocks.known(p, q)) return false;
    return true;
  }
  void read(std::int64_t at, std::int32_t p, std::int32_t entry) {
    read_[static_cast<std::size_t>(p)][static_cast<std::size_t>(at)] = entry + 1;
  }
  void write(std::int64_t at, std::int32_t by, std::int32_t entry) {
    written_[static_cast<std::size_t>(at)] = {by, entry};
  }

 private:
  struct Write {
    std::int32_t by = kNobody, entry = 0;
  };
  std::vector<Write> written_;
  std::vector<std::vector<std::int32_t>> read_;  // [processors][numbers] 1 + last entry that read the number, or 0
};

}  // namespace cavs::inline v0_1
