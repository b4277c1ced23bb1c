#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <set>
#include <string>

#include "cavs/files.h"
#include "cli/command_line.h"

namespace {

/// Opens standard streams that are closed. Otherwise the next opened file would get the number of a closed stream, and
/// messages would be written into the file. Reading input and writing results still fail.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY));
}

}  // namespace

int main(int argc, char** argv) try {
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // at the limit on file sizes, writing then fails with an error that is reported
  cavs::on_save_warning([told = std::set<std::string>()](const std::string& warning) mutable {
    if (told.insert(warning).second) spdlog::warn("{}", warning);  // once, though a file is saved many times
  });
  cavs::cli::CommandLine command;
  const int code = command.run({argv + 1, argv + argc});
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  spdlog::error("error: cannot write to standard output: the disk is full or it is closed");
  return code == 0 ? 1 : code;
} catch (const std::bad_alloc&) {  // run() catches errors of commands
  std::fputs("cavs: error: out of memory\n", stderr);
  return 1;
}
