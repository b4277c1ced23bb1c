#pragma once

#include <cstdint>

#include "cli/sample_progress.h"

namespace cavs::cli {

/// How lines that become text, prompts and sentences, are answered.
struct TextOutput {
  std::int64_t batch_size = 1;         // so many at once
  bool columns = false;                // as tsv, else as JSON
  SampleProgress* progress = nullptr;  // of a data set
};

}  // namespace cavs::cli
