#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/batched/step_view.h"
#include "execute/batched/weight_loads.h"
#include "execute/team.h"
#include "share/work_share.h"

namespace cavs::inline v0_1 {

/// A worker of the team: the step that it runs, and memory of its own. The context of all that runs instructions.
struct Worker : StepView {
  Worker(int which, Team& its_team, const Parameters& values, cpu::Precision of_products)
      : team(its_team),
        number(which),
        precision(of_products),
        touched(static_cast<std::size_t>(values.size())),
        summed(static_cast<std::size_t>(values.size())) {
    parameters = &values;
  }

  Team& team;
  const int number;
  const cpu::Precision precision;  // of products
  cpu::Scratch scratch, tile_memory;
  std::vector<ConstRows> in;
  std::vector<Rows> out;
  std::vector<cpu::ProductOut> products;
  std::vector<char> touched;           // by parameter: has a gradient in this run
  std::vector<std::int32_t> summed;    // by parameter: rows in its partial sum
  cpu::GradientRows gradient_rows;     // of the gradient at hand
  double* memory_seconds = nullptr;    // of the run, where this worker's time is measured
  std::unique_ptr<WeightLoads> loads;  // of the weights that it multiplies with, where they are counted

  /// Its part of what the team shares, and of what it does alone.
  WorkPart shared() const { return {number, number, team.size()}; }
  WorkPart alone() const { return {number, 0, 1}; }
  /// For all workers of the team.
  void wait() { team.barrier(number); }

  /// Its product reads these units of a weight, on one block of rows.
  void count_weight(std::int32_t weight, Range<int> of) const {
    if (loads != nullptr) loads->pass(weight, of, step->stage == Stage::kTask);
  }
};

/// The share of one worker in an instruction that works row by row. The units are of the product that the instruction
/// is, or that leads its group.
struct RowShare : ProductShare {
  RowRange columns{0, 0};  // where it is shared by columns; else none

  /// The columns of an operand that are in the share; one number a row is all workers'.
  template <typename View>
  View own_columns(View o) const {
    if (columns.begin == columns.end || o.width == 1) return o;
    o.base = StepView::shifted(o.base, columns.begin), o.width = columns.end - columns.begin;
    return o;
  }
};

/// [team.size()]
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace cavs::inline v0_1
