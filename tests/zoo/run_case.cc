#include "zoo/run_case.h"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <iostream>
#include <sstream>

#include "cli/run_here.h"
#include "zoo/data_files.h"

namespace cavs::zoo {
namespace {

void add(const Dimension& dimension, const std::string& value, Arguments& to) {
  if (value.empty()) return;
  if (!dimension.option.starts_with("-")) {
    to.insert(to.begin() + 1, value);
    return;
  }
  if (value == "yes") return to.push_back(dimension.option);
  std::istringstream parts(value);
  for (std::string part; parts >> part;) to.insert(to.end(), {dimension.option, part});
}

/// Makes a file the standard input during its lifetime.
class Input {
 public:
  explicit Input(const std::string& file) : before_(dup(STDIN_FILENO)) {
    const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    dup2(opened, STDIN_FILENO);
    close(opened);
    __fpurge(stdin);
    std::clearerr(stdin);
    std::cin.clear();
  }
  ~Input() {
    dup2(before_, STDIN_FILENO);
    close(before_);
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

 private:
  int before_;
};

std::string quoted(const std::string& argument) {
  return argument.find_first_of(" *") == argument.npos ? argument : "'" + argument + "'";
}

}  // namespace

Arguments arguments(const ZooCase& of, const std::string& command, const std::string& checkpoint) {
  Arguments all{command};
  if (!checkpoint.empty()) all.push_back(checkpoint);
  for (std::size_t d = 0; d < of.size(); ++d) {
    const Dimension& dimension = all_dimensions()[d];
    std::string text = dimension.values[of[d]];
    if (dimension.option == "--data" && !text.empty())
      text = data_spec(value(of, "train MODEL"), text == "the same" ? value(of, "train --data") : text);
    if (dimension.command == command) add(dimension, text, all);
  }
  return all;
}

Outcome Commands::run(const Arguments& arguments, const std::string& input) {
  lines_ += "cavs";
  for (const std::string& argument : arguments) lines_ += " " + quoted(argument);
  lines_ += input.empty() ? "\n" : " <" + input + "\n";
  const Input from(input.empty() ? "/dev/null" : input);
  const cli::Ran ran = cli::run_here(arguments);
  return {ran.code, ran.out, ran.err};
}

}  // namespace cavs::zoo
