#pragma once

#include <cstdint>
#include <string_view>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

namespace cavs::cli {

/// How many words of the samples that a command reads the model knows.
class WordsSeen {
 public:
  void count(const GraphSet& graphs);
  void count(std::string_view line, const Vocabulary& words);
  /// Logs how many are unknown, if any is.
  void report() const;

 private:
  std::int64_t words_ = 0, unknown_ = 0;
};

}  // namespace cavs::cli
