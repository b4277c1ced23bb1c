#pragma once

#include "execute/session_impl.h"

namespace cavs::detail {

/// The inner part of a session and of a run, for the library itself, its measurements and tests.
struct SessionAccess {
  static Session::Impl& impl(Session& session) { return *session.impl_; }
  /// Evaluates the samples, but for the vertices whose states are kept (KeptStates).
  static Run forward(Session& session, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                     KeptStates kept) {
    return Session::Impl::forward(session.impl_, graphs, samples, {}, std::move(kept));
  }
  /// Forward, backward and update, at once where the engine can. With clipping no gradient is deferred.
  /// @param next  what to prepare meanwhile, or nullptr
  static TrainedRun train(Session& session, const TrainingBatch& batch, const ForwardOptions& options,
                          const TrainingBatch* next, Gradients& gradients, Optimizer& optimizer,
                          const UpdateOptions& update) {
    return Session::Impl::train(session.impl_, batch, options, next, gradients, optimizer, update);
  }
  /// Where an update of the session's parameters finds and leaves rows. @param run  has deferred gradients, or nullptr
  static ParameterRows* begin_update(Session& session, Run* run = nullptr) {
    return impl(session).engine->begin_update(run == nullptr ? nullptr : run->state_->run.get());
  }
  static void end_update(Session& session) { impl(session).engine->end_update(); }
  /// Runs f(worker, workers) on every thread of the session's team.
  template <typename F>
  static void parallel(Session& session, F f) {
    Team& team = impl(session).team;
    const std::function<void(int)> work = [&](int worker) { f(worker, team.size()); };
    team.run(work);
  }
};

}  // namespace cavs::detail
