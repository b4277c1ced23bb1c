#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "cavs/optimizer.h"
#include "execute/run_state.h"

namespace cavs {

struct Session::Impl {
  /// `sharing`: an engine of another session, of the same kind, program and parameters; or none.
  Impl(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, const SessionOptions& options,
       const Engine* sharing = nullptr);

  Run::State& free_state();
  void check_bound(const BoundGraphs& graphs) const;
  Run::State& prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch,
                      GivenStates given);
  /// Session::forward, with states of vertices that were evaluated before. The run shares `self`.
  static Run forward(const std::shared_ptr<Impl>& self, const BoundGraphs& graphs,
                     std::span<const std::int32_t> samples, const ForwardOptions& options, GivenStates given);
  void reserve(Run::State& state);
  void account(Run::State& state, std::chrono::steady_clock::time_point start) const;

  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  Parameters::List parameter_list;  // as they were given
  SessionOptions options;
  Team team;
  std::unique_ptr<Engine> engine;
  Preparation preparation;
  std::optional<GradientNorm> norm;  // from the first update on
  std::vector<std::unique_ptr<Run::State>> states;
};

}  // namespace cavs
