#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/word_counts.h"

namespace cavs::inline v0_1 {

/// The distinct names of a text, numbered in the order of their first occurrence, and their counts.
class NameTable {
 public:
  /// Counts the name, and returns its number.
  std::int32_t add(std::string_view name) {
    auto entry = numbers_.find(name);
    if (entry == numbers_.end()) {
      entry = numbers_.emplace(name, static_cast<std::int32_t>(names_.size())).first;
      names_.push_back(&entry->first);
      counts_.push_back(0);
    }
    ++counts_[entry->second];
    return entry->second;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(names_.size()); }
  const std::string& name(std::int32_t number) const { return *names_[number]; }
  /// Returns the count of each name. The keys are views of the names of this table.
  WordCounts counts() const {
    WordCounts counts;
    for (std::size_t i = 0; i < names_.size(); ++i) counts.emplace(*names_[i], counts_[i]);
    return counts;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> names_;  // by number: key of numbers_, whose address is stable
  std::vector<std::int64_t> counts_;
};

/// Returns the class number of each name; -1 if the name is not a class.
inline std::vector<std::int32_t> class_ids(const NameTable& names, std::span<const std::string> classes) {
  std::unordered_map<std::string_view, std::int32_t> numbers;  // a table, since there may be very many classes
  for (std::size_t c = 0; c < classes.size(); ++c) numbers.emplace(classes[c], static_cast<std::int32_t>(c));
  std::vector<std::int32_t> ids(names.size(), -1);
  for (std::int32_t n = 0; n < names.size(); ++n)
    if (const auto number = numbers.find(names.name(n)); number != numbers.end()) ids[n] = number->second;
  return ids;
}

}  // namespace cavs::inline v0_1
