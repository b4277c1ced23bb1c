#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace cavs::cli {

/// Redirects a stream of this process to a file during its lifetime.
class Captured {
 public:
  explicit Captured(std::FILE* stream) : stream_(stream), file_(std::tmpfile()), before_(dup(fileno(stream))) {
    std::fflush(stream);
    dup2(fileno(file_), fileno(stream));
  }
  ~Captured() {
    std::fflush(stream_);
    dup2(before_, fileno(stream_));
    close(before_);
    std::fclose(file_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  std::string text() {
    std::fflush(stream_);
    std::rewind(file_);
    std::string text;
    for (int c = std::getc(file_); c != EOF; c = std::getc(file_)) text += static_cast<char>(c);
    return text;
  }

 private:
  std::FILE* stream_;
  std::FILE* file_;
  int before_;
};

/// Exit code and output of a run of the command.
struct Ran {
  int code = 0;
  std::string out, err;
};

/// Runs the command in this process, like `cavs ARGUMENTS` in a separate process.
inline Ran run_here(std::vector<std::string> arguments) {
  Captured out(stdout), err(stderr);
  const int code = cli::CommandLine().run(std::move(arguments));
  return {code, out.text(), err.text()};
}

}  // namespace cavs::cli
