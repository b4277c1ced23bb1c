#pragma once

#include <string>
#include <vector>

#include "zoo/case.h"

namespace cavs::zoo {

using Arguments = std::vector<std::string>;

/// Arguments of a command for this case, except those that the laws add: the checkpoint of eval and predict.
Arguments arguments(const ZooCase& of, const std::string& command, const std::string& checkpoint = "");

struct Outcome {
  int code = 0;
  std::string out, err;
};

/// Runs commands in the working directory and records their command lines.
class Commands {
 public:
  /// @param input  the file to use as standard input, or empty
  Outcome run(const Arguments& arguments, const std::string& input = "");
  void note(const std::string& line) { lines_ += "# " + line + "\n"; }
  /// All command lines that ran, as text for a shell.
  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
};

}  // namespace cavs::zoo
