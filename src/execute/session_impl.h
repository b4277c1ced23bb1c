#pragma once

#include <memory>
#include <vector>

#include "cavs/optimizer.h"
#include "execute/run_state.h"

namespace cavs::inline v0_1 {

/// Samples of a training step.
struct TrainingBatch {
  const BoundGraphs& graphs;
  std::span<const std::int32_t> samples;
  std::uint32_t epoch = 0;
};

/// A step that was begun.
struct BegunTraining {
  Run run;
  bool is_launched = false;  // the engine carries it out
};

struct TrainedRun {
  Run run;
  UpdateResult update;
  StepSeconds seconds;
};

struct Session::Impl {
  /// `sharing`: an engine of another session, of the same kind, program and parameters; or none.
  Impl(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, const SessionOptions& options,
       const Engine* sharing = nullptr);

  Run::State& free_state();
  void check_bound(const BoundGraphs& graphs) const;
  Run::State& prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch,
                      KeptStates kept);
  /// Session::forward, with states of vertices that were evaluated before. The run shares `self`.
  static Run forward(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs,
                     std::span<const std::int32_t> samples, const ForwardOptions& options, KeptStates kept);
  /// A run of these samples, ready to be evaluated.
  static Run open(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                  const ForwardOptions& options, KeptStates kept);
  /// Forward, backward and update, at once where the engine can. @param next  what to prepare meanwhile, or nullptr
  /// @param follows  the step that was begun before has not ended yet
  static BegunTraining begin_training(const std::shared_ptr<Impl>& self, const TrainingBatch& batch,
                                      const ForwardOptions& options, const TrainingBatch* next,
                                      const UpdateRequest& request, bool follows);
  TrainedRun end_training(BegunTraining begun, UpdateRequest request) const;
  void prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch);
  void take_pulls(PreparedBatch& batch, std::span<const RunPull> pulls) const;
  void reserve(Run::State& state);
  void account(Run::State& state, double milliseconds) const;

  SessionOptions options;
  std::shared_ptr<const Program> given;    // that graphs are bound to
  std::shared_ptr<const Program> program;  // the same, as the engine runs it
  std::shared_ptr<Parameters> parameters;
  Parameters::List parameter_list;  // as they were given
  std::unique_ptr<Engine> engine;
  Preparation preparation;
  std::vector<std::unique_ptr<Run::State>> states;
};

}  // namespace cavs::inline v0_1
