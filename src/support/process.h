#pragma once

#include <unistd.h>

#include "support/check.h"

namespace cavs::inline v0_1 {

/// Remembers the process that created an object with threads. A fork has a copy of the memory, but none of the threads,
/// so waiting for one of them would never end.
class HomeProcess {
 public:
  bool is_here() const { return getpid() == id_; }
  /// @throws UserError in a fork, with `what` and advice.
  void expect_here(const char* what) const {
    if (!is_here()) [[unlikely]]
      user_error(
          "{} was made in process {}; this is process {}, a fork of it, which has none of its threads; make it after "
          "the fork, or start a new process (in multiprocessing of Python: \"spawn\")",
          what, id_, getpid());
  }

 private:
  pid_t id_ = getpid();
};

}  // namespace cavs::inline v0_1
