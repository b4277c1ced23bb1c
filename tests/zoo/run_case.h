#pragma once

#include <string>
#include <vector>

#include "zoo/case.h"

namespace cavs::zoo {

using Arguments = std::vector<std::string>;

/// The command with all that the case gives it, but for what the laws give: the checkpoint of eval and predict.
Arguments arguments(const ZooCase& of, const std::string& command, const std::string& checkpoint = "");

struct Outcome {
  int code = 0;
  std::string out, err;
};

/// Runs commands in the working directory, and keeps their lines.
class Commands {
 public:
  /// `input`: the file that is standard input, if any.
  Outcome run(const Arguments& arguments, const std::string& input = "");
  void note(const std::string& line) { lines_ += "# " + line + "\n"; }
  /// All that ran, as a shell takes it.
  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
};

}  // namespace cavs::zoo
