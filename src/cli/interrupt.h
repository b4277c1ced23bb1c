#pragma once

namespace cavs::cli {

/// From this call on, SIGUSR1 requests a checkpoint (see asked_to_save()), and every SIGXCPU, which the system sends at
/// the soft limit of processor time, requests a stop. Call it first, so that no signal ends the process during loading.
void watch_for_save_requests();
/// True once per request. Requests that arrive together count as one request.
bool asked_to_save();

/// From this call on, the first Ctrl-C, SIGTERM or SIGHUP only requests a stop; a second one ends the process at once.
/// If SIGHUP was ignored (nohup), it stays ignored.
void watch_for_interrupt();
bool interrupted();
/// Returns the name of the signal that requested a stop, as in "SIGTERM"; "" if none did.
const char* interrupt_name();

/// Restores the signal handlers that were set before the first of these calls, and forgets pending requests.
void stop_watching();

}  // namespace cavs::cli
