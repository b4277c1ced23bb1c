#pragma once

#include <cstdint>
#include <string_view>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

namespace cavs::cli {

/// Counts the words of samples, and how many of them the model does not know.
class WordsSeen {
 public:
  void count(const GraphSet& graphs);
  void count(std::string_view line, const Vocabulary& words);
  /// Logs the number of unknown words, unless it is 0.
  void report() const;

 private:
  std::int64_t words_ = 0, unknown_ = 0;
};

}  // namespace cavs::cli
