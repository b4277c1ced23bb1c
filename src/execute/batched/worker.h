#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/batched/step_view.h"
#include "execute/batched/weight_loads.h"
#include "execute/team.h"

namespace cavs {

/// What one worker of the team has: the step it is in, its share, and memory of its own. The context of all that runs
/// instructions.
struct Worker : StepView {
  Worker(int which, Team& its_team, Parameters& values)
      : team(its_team),
        number(which),
        workers(its_team.size()),
        touched(static_cast<std::size_t>(values.size())),
        summed(static_cast<std::size_t>(values.size())) {
    parameters = &values;
  }

  Team& team;
  int number, workers;  // 0 of 1 where the step is this worker's alone
  cpu::Scratch scratch, tile_memory;
  Range<int> units{0, 0};  // of the product at hand
  RowRange columns{0, 0};  // of what works row by row, where it is shared by columns; else none
  std::vector<ConstRows> in;
  std::vector<Rows> out;
  std::vector<cpu::ProductOut> products;
  std::vector<char> touched;           // by parameter: has a gradient in this run
  std::vector<std::int32_t> summed;    // by parameter: rows in its partial sum
  cpu::GradientRows gradient_rows;     // of the gradient at hand
  bool profiled = false;               // its time is measured
  std::unique_ptr<WeightLoads> loads;  // of the weights that it multiplies with, where they are counted

  /// For all workers of the step.
  void wait() { team.barrier(number); }

  /// Its product reads these units of a weight, on one block of rows.
  void count_weight(std::int32_t weight, Range<int> of) const {
    if (loads != nullptr) loads->pass(weight, of, step->stage == Stage::kTask);
  }

  /// The columns of the operand that this worker has a share in; one number a row is all workers'.
  template <typename View>
  View own_columns(View o) const {
    if (columns.begin == columns.end || o.width == 1) return o;
    o.base = shifted(o.base, columns.begin), o.width = columns.end - columns.begin;
    return o;
  }
};

/// [team.size()]
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace cavs
