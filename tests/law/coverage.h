#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "law/law_case.h"

namespace cavs::law {

/// How often each trait, and each pair of traits, ran without being refused.
class Coverage {
 public:
  Coverage();
  void ran(const LawCase& of);
  void refused() { ++refused_; }

  /// One line per dimension: how often each trait ran, and the rarest pair that contains it.
  std::string table() const;
  /// Allowed pairs that ran less often than `least`, one per line.
  std::string rare_pairs(int least) const;

 private:
  struct Trait {
    std::string_view dimension, name;
    int count = 0;
  };
  bool is_allowed(std::size_t a, std::size_t b) const;
  std::string text(std::size_t trait) const;
  std::size_t number(std::string_view dimension, std::string_view name) const;

  std::vector<Trait> traits_;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> numbers_;
  std::vector<std::vector<int>> pairs_;   // [trait][trait], number of cases in which both ran
  std::vector<std::vector<char>> never_;  // [trait][trait], true if the pair is refused or impossible
  int refused_ = 0, ran_ = 0;
};

}  // namespace cavs::law
