#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "zoo/case.h"

namespace cavs::zoo {

/// How often each value, and each pair of values, ran without being refused.
class Coverage {
 public:
  Coverage();
  /// Counts a case. Only values of the given commands count, which are those that ran.
  void ran(const ZooCase& of, const std::set<std::string>& commands);

  /// One line per dimension: the count of each value, and the rarest pair that contains it.
  std::string table() const;
  /// Pairs that are not refused and ran less often than `least`, one per line.
  std::string rare_pairs(int least) const;

 private:
  struct Value {
    std::size_t dimension;
    int number;
  };
  bool is_allowed(std::size_t a, std::size_t b) const { return never_[a][b] == 0; }
  std::string text(std::size_t value) const;

  std::vector<Value> values_;
  std::vector<std::vector<std::size_t>> numbers_;  // [dimension][index of the value], number of the value
  std::vector<std::vector<int>> pairs_;   // [value][value], number of cases in which both ran; [v][v] counts value v
  std::vector<std::vector<char>> never_;  // [value][value], true if always refused
  int cases_ = 0, ran_ = 0;
};

}  // namespace cavs::zoo
