#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "execute/batched/step_view.h"
#include "execute/batched/weight_loads.h"
#include "execute/team.h"
#include "share/work_share.h"

namespace cavs::inline v0_1 {

/// A worker of the team, with its current step and its own memory. It is passed to everything that runs instructions.
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
  const cpu::Precision precision;  // precision of products
  cpu::Scratch scratch, tile_memory;
  std::vector<ConstRows> in;
  std::vector<Rows> out;
  std::vector<cpu::ProductOut> products;
  std::vector<char> touched;           // [parameters] true if this run has written the gradient
  std::vector<std::int32_t> summed;    // [parameters] number of rows in its partial sum (Reductions)
  cpu::GradientRows gradient_rows;     // rows that the gradient in progress sums, in fp32
  double* memory_seconds = nullptr;    // the run's time of copies, or nullptr if not measured
  std::unique_ptr<WeightLoads> loads;  // counts the weights that it loads, or nullptr

  /// Returns the worker's part of work that the team shares; alone() is for work that the worker does by itself.
  WorkPart shared() const { return {number, number, team.size()}; }
  WorkPart alone() const { return {number, 0, 1}; }
  /// Waits for all workers of the team.
  void wait() { team.barrier(number); }

  /// Counts that a product reads units `of` of a weight for one block of rows.
  void count_weight(std::int32_t weight, Range<int> of) const {
    if (loads != nullptr) loads->pass(weight, of, step->stage == Stage::kTask);
  }
};

/// One worker's share of a row-by-row instruction. `units` is for a product, or a group that a product leads.
struct RowShare : ProductShare {
  RowRange columns{0, 0};  // the worker's columns; empty if it computes all columns

  /// Returns the part of an operand that has the share's columns. All workers read an operand with a single column.
  template <typename View>
  View own_columns(View o) const {
    if (columns.begin == columns.end || o.width == 1) return o;
    o.base = StepView::shifted(o.base, columns.begin);
    o.width = columns.end - columns.begin;
    return o;
  }
};

/// Workers, indexed by Worker::number.
using Workers = std::vector<std::unique_ptr<Worker>>;

}  // namespace cavs::inline v0_1
