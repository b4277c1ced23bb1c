#pragma once

#include "execute/batched/batched_run.h"
#include "execute/session_access.h"

namespace cavs {

/// Begins an update of a session of engine `batched`, and returns its updater.
/// @param run  the run whose deferred gradients the update reads, or nullptr
inline PackedUpdater& begin_update(Session& session, Run* run = nullptr) {
  using detail::SessionAccess;
  PackedUpdater& updater = static_cast<BatchedEngine&>(*SessionAccess::impl(session).engine).updater();
  updater.begin(run == nullptr ? nullptr : &static_cast<BatchedRun&>(SessionAccess::engine_run(*run)).execution());
  return updater;
}

}  // namespace cavs
