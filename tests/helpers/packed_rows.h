#pragma once

#include "execute/batched/batched_run.h"
#include "execute/session_access.h"

namespace cavs {

/// The PackedUpdater of a session of engine `batched`, after `begin`. @param run  has deferred gradients, or nullptr
inline PackedUpdater& begin_update(Session& session, Run* run = nullptr) {
  using detail::SessionAccess;
  PackedUpdater& updater = static_cast<BatchedEngine&>(*SessionAccess::impl(session).engine).updater();
  updater.begin(run == nullptr ? nullptr : &static_cast<BatchedRun&>(SessionAccess::engine_run(*run)).execution());
  return updater;
}

}  // namespace cavs
