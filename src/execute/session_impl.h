#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "execute/run_state.h"
#include "execute/weight_rows.h"

namespace cavs {

struct Session::Impl {
  /// `packs`: of another session, or none.
  Impl(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters, const SessionOptions& options,
       std::shared_ptr<Packs> packs = nullptr);

  Run::State& free_state();
  void check_bound(const BoundGraphs& graphs) const;
  Run::State& prepare(const BoundGraphs& graphs, std::span<const std::int32_t> samples, std::uint32_t epoch);
  void reserve(Run::State& state);
  void sum_loss(Run::State& state) const;
  void account(Run::State& state, std::chrono::steady_clock::time_point start) const;

  std::shared_ptr<const Program> program;
  std::shared_ptr<Parameters> parameters;
  Parameters::List parameter_list;  // as they were given
  SessionOptions options;
  Team team;
  cpu::Precision precision;
  Executor executor;
  WeightRows weight_rows;
  Preparation preparation;
  std::vector<std::unique_ptr<Run::State>> states;
  std::int64_t tile_bytes = 0;  // that runs were allowed to take
};

}  // namespace cavs
