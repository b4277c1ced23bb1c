#pragma once

#include <string>

#include "cavs/checkpoint.h"
#include "cli/report.h"

namespace cavs::cli {

/// --history: a file with a JSON line for each epoch, there as a whole at any time.
class HistoryFile {
 public:
  /// An empty path is no file. Where training was resumed, the lines of the epochs before are kept.
  /// @param record  of the training, with the metrics of those epochs; without any it begins anew
  /// @throws UserError if the file is there and has other epochs than these, unless it may be overwritten.
  HistoryFile(std::string path, const TrainingRecord& record, bool overwrite);

  void add(const Json& epoch);

 private:
  std::string path_, text_;
};

}  // namespace cavs::cli
