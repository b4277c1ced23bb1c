#pragma once

#include <memory>
#include <optional>

#include "cavs/session.h"
#include "train/engine_choice.h"

namespace cavs {

/// The session of a trainer. With engine kAuto there is one for each of the engines that are compared, on the same
/// parameters, until one is chosen; the other one is then gone. Steps may take them in any order: a session that meets
/// parameters that another has changed packs its weights again.
class TrainingSession {
 public:
  TrainingSession(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters,
                  const SessionOptions& options);

  /// Of the next step.
  Session& operator*() { return *current_; }
  Session* operator->() { return current_; }
  /// Of the options; with kAuto the engine that was chosen, or kAuto.
  EngineKind engine() const { return engine_; }
  /// What the choice rests on; none where there was none.
  const std::optional<EngineTimes>& times() const { return times_; }
  /// A step was done, and its runs are gone.
  void add(double milliseconds, std::int64_t vertices);

 private:
  EngineKind engine_;
  std::unique_ptr<Session> batched_, persistent_;  // or, with another engine, the first alone, whatever it is
  Session* current_;
  EngineChoice choice_;
  std::optional<EngineTimes> times_;
};

}  // namespace cavs
