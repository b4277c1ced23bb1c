#pragma once

#include <string>

#include "cavs/checkpoint.h"
#include "cli/report.h"

namespace cavs::cli {

/// The file of --history, with a JSON line for each epoch. The file is always complete: each epoch replaces it.
class HistoryFile {
 public:
  /// @param path  empty for no file. If training was resumed, the lines of its earlier epochs are kept.
  /// @param record  the training and the metrics of its earlier epochs; without earlier epochs the file starts empty
  /// @throws UserError if the file exists and has other epochs, unless it may be overwritten.
  HistoryFile(std::string path, const TrainingRecord& record, bool overwrite);

  void add(const Json& epoch);

 private:
  std::string path_, text_;
};

}  // namespace cavs::cli
