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

/// A training step that has begun.
struct BegunTraining {
  Run run;
  bool is_launched = false;  // true if the engine's begin_training() has begun the step
};

struct TrainedRun {
  Run run;
  UpdateResult update;
  StepSeconds seconds;
};

struct Session::Impl {
  /// @param sharing  engine of another session with the same kind, program and parameters, or nullptr.
  Impl(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, const SessionOptions& options,
       const Engine* sharing = nullptr);

  Run::State& free_state();
  void check_bound(const BoundGraphs& graphs) const;
  Run::State& prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch,
                      KeptStates kept);
  /// Session::forward, with states of vertices that were evaluated earlier. The run shares ownership of `self`.
  static Run forward(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs,
                     std::span<const std::int32_t> samples, const ForwardOptions& options, KeptStates kept);
  /// Makes a run of these samples that is ready to be evaluated.
  static Run open(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs, std::span<const std::int32_t> samples,
                  const ForwardOptions& options, KeptStates kept);
  /// Begins forward, backward and update, in one pass if the engine can.
  /// @param next  batch to prepare while the step runs, or nullptr
  /// @param follows  true if the preceding step has not ended yet
  static BegunTraining begin_training(const std::shared_ptr<Impl>& self, const TrainingBatch& batch,
                                      const ForwardOptions& options, const TrainingBatch* next,
                                      const UpdateRequest& request, bool follows);
  TrainedRun end_training(BegunTraining begun, UpdateRequest request) const;
  void prefetch(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch);
  void take_pulls(PreparedBatch& batch, std::span<const RunPull> pulls) const;
  void reserve(Run::State& state);
  void account(Run::State& state, double milliseconds) const;

  SessionOptions options;
  std::shared_ptr<const Program> given;    // the program that the session was made with, to which graphs are bound
  std::shared_ptr<const Program> program;  // `given`, or `given` compiled for the engine
  std::shared_ptr<Parameters> parameters;
  Parameters::List parameter_list;  // the parameters' list at the time when the session was made
  std::unique_ptr<Engine> engine;
  Preparation preparation;
  std::vector<std::unique_ptr<Run::State>> states;
};

}  // namespace cavs::inline v0_1
