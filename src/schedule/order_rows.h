#pragma once

#include <cstdint>
#include <vector>

#include "pack/minibatch.h"
#include "schedule/schedule.h"

namespace cavs {

/// Orders the rows inside of every task so that those that a later task gathers lie side by side where they can:
/// ED-Batch's adjacent operands (section 3), across vertices. Keeps its work arrays from one minibatch to the next.
class RowOrder {
 public:
  explicit RowOrder(const Program& program);

  /// Tasks from last to first: a task's vertices get the order in which the first task that reads them does so, one
  /// child slot after the other. Who is read by nobody comes first. Chains: what a task gathers is one run, whatever
  /// the chains' lengths; complete binary trees: one run a slot.
  ///
  /// Tasks stay as they are; equal arguments, equal order.
  ///
  /// Cost: linear in vertices + edges.
  void order(const Minibatch& minibatch, Schedule& schedule);

 private:
  void find_first_reads(const Minibatch& minibatch, const Schedule& schedule);
  void place_children(const Minibatch& minibatch, std::int32_t begin, std::int32_t end, Schedule& schedule);

  std::vector<std::int32_t> slots_apart_;  // by type: leading child slots that it gathers one by one, all others not
  std::vector<std::int32_t> first_read_;   // by vertex: the edge by which it is read first, -1
  std::vector<std::int32_t> task_of_;      // by row
  std::vector<std::int32_t> free_;         // by task: after its last row that has no vertex yet
  std::vector<std::int32_t> vertex_;       // by row, in the new order
};

}  // namespace cavs
