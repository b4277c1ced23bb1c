#pragma once

#include "execute/session_impl.h"

namespace cavs::inline v0_1::detail {

/// Access to the internals of a session and of a run, for the library itself, its measurements and tests.
struct SessionAccess {
  static Session::Impl& impl(Session& session) { return *session.impl_; }
  /// Evaluates the samples, except the vertices whose states are kept (KeptStates).
  static Run forward(Session& session, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                     KeptStates kept) {
    return Session::Impl::forward(session.impl_, graphs, samples, {}, std::move(kept));
  }
  /// Begins forward, backward and update, in one pass if the engine can. With clipping, no gradient is deferred.
  /// @param next     batch to prepare while the step runs, or nullptr
  /// @param follows  true if the preceding step has not ended yet
  static BegunTraining begin_training(Session& session, const TrainingBatch& batch, const ForwardOptions& options,
                                      const TrainingBatch* next, const UpdateRequest& request, bool follows) {
    return Session::Impl::begin_training(session.impl_, batch, options, next, request, follows);
  }
  /// Ends the earliest step that has begun. @param request  the request of its begin_training
  static TrainedRun end_training(Session& session, BegunTraining begun, const UpdateRequest& request) {
    return impl(session).end_training(std::move(begun), request);
  }
  /// Calls EngineRun::best_words for vertices of a run.
  static bool best_words(const Run& run, const std::string& port, std::span<const std::int32_t> vertices,
                         std::span<const std::int32_t> forced, std::span<ScoredWord> words) {
    return run.state_->run->best_words(run.state_->batch, port, vertices, forced, words);
  }
  static Engine& engine(Session& session) { return *impl(session).engine; }
  static EngineRun& engine_run(Run& run) { return *run.state_->run; }
  /// Calls EngineRun::keep for vertices of a run.
  static std::vector<char> keep(const Run& run, std::span<const KeptPort> ports, std::span<const std::int32_t> vertices,
                                std::span<const std::int32_t> slots) {
    return run.state_->run->keep(run.state_->batch, ports, vertices, slots);
  }
  /// Calls f(worker, workers) on every thread of the session's engine.
  static void share(Session& session, const std::function<void(int worker, int workers)>& f) {
    engine(session).share(f);
  }
};

}  // namespace cavs::inline v0_1::detail
