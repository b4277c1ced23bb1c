#pragma once

#include <unistd.h>

#include "support/check.h"

namespace cavs::inline v0_1 {

/// Remembers the process in which an object with threads was created. A forked process has a copy of the memory but
/// none of the threads, so waiting for a thread would never end there.
class HomeProcess {
 public:
  bool is_here() const { return getpid() == id_; }
  /// @throws UserError in a forked process. `what` is the object in the message.
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
