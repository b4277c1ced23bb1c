#pragma once

namespace cavs::cli {

/// From now on SIGUSR1 asks for a checkpoint (see asked_to_save()), and SIGXCPU, the soft limit of processor time, asks
/// to stop, however often it arrives. Call this first, so that neither signal ends the process while data are loaded.
void watch_for_save_requests();
/// True once per request; requests that arrived together count as one.
bool asked_to_save();

/// From now on the first Ctrl-C, SIGTERM or SIGHUP only asks to stop; a second one ends the process at once. SIGHUP
/// stays ignored if it was (nohup).
void watch_for_interrupt();
bool interrupted();
/// Name of the signal that asked to stop, as in "SIGTERM"; "" if none did.
const char* interrupt_name();

/// Restores the handlers from before the first of these calls, and forgets pending requests.
void stop_watching();

}  // namespace cavs::cli
