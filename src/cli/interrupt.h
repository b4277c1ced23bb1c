#pragma once

namespace cavs::cli {

/// From now on the first Ctrl-C (or SIGTERM) only asks to stop; a second one ends the process at once.
void watch_for_interrupt();
bool interrupted();

}  // namespace cavs::cli
