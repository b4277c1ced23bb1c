#pragma once

#include <unistd.h>

#include "support/check.h"

namespace cavs::inline v0_1 {

/// The process that something with threads was made in. A fork of it has a copy of the memory, but none of the threads:
/// who waits for one there waits for ever.
class HomeProcess {
 public:
  bool is_here() const { return getpid() == id_; }
  /// @throws UserError naming `what` and what to do, in a fork.
  void expect_here(const char* what) const {
    if (!is_here()) [[unlikely]]
      user_error(
          "{} was made in process {}; this is process {}, a fork of it, which has none of its threads; make it after "
          "the fork, or start the process anew (in Python's multiprocessing: \"spawn\")",
          what, id_, getpid());
  }

 private:
  pid_t id_ = getpid();
};

}  // namespace cavs::inline v0_1
