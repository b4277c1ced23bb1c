#pragma once

namespace cavs::cli {

/// From now on SIGUSR1 asks for a checkpoint, see asked_to_save(), and SIGXCPU, which says that the limit of processor
/// time has come, asks to stop, however often it comes. Neither may end the process while data are loaded, before there
/// is a checkpoint, so this comes first.
void watch_for_save_requests();
/// True once for each request, or several that came together.
bool asked_to_save();

/// From now on the first Ctrl-C, SIGTERM or SIGHUP only asks to stop; a second one ends the process at once. Where
/// SIGHUP is ignored (nohup), it stays so.
void watch_for_interrupt();
bool interrupted();
/// "SIGTERM"; "" where nothing has asked to stop.
const char* interrupt_name();

/// Signals do again what they did before the first of these calls, and what they have asked for is forgotten.
void stop_watching();

}  // namespace cavs::cli
