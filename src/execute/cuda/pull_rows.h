#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"

namespace cavs::cuda {

/// Copies the rows that the samples of a minibatch have in the data set's float ports, sample after sample, and adjusts
/// a plan to read the copy. So a device needs only this part of the data set.
class PullRows {
 public:
  explicit PullRows(const Program& program) : program_(program) {}

  /// Finds the rows of a minibatch. @return the adjusted plan, or the given plan if it reads no such rows
  const Plan& collect(const Minibatch& minibatch, const Plan& plan);
  /// Returns the number of floats of all ports' copies, which follow each other. begin(port) is the offset of a port's
  /// copy. A port has no copy if the caller supplies it for each run, or if only vertices with kept states read it.
  std::int64_t floats() const { return begin_.back(); }
  std::int64_t begin(std::size_t port) const { return begin_[port]; }
  /// Copies the rows of all ports to `to`.
  void copy(const Minibatch& minibatch, float* to) const;

 private:
  /// The rows of a sample: one per vertex, or one per child slot (edge). They are consecutive.
  struct Run {
    std::int64_t source = 0, count = 0, begin = 0;  // first row in the data set, number of rows, first row in the copy
  };
  using Runs = std::vector<Run>;

  bool is_read(const Minibatch& minibatch, std::size_t port) const;
  bool is_of_edges(const Minibatch& minibatch, std::size_t port) const;
  void find_runs(const Minibatch& minibatch);
  void move(const Minibatch& minibatch, std::int32_t type);
  void move_list(const Runs& runs, Slice list);
  void move_shifts(const Runs& runs, std::int32_t type, std::size_t index, DomainId domain);
  /// Returns the number that row `source` of the data set has in the copy.
  static std::int32_t moved(const Runs& runs, std::int64_t source);

  const Program& program_;
  Plan plan_;  // the adjusted plan
  Runs vertices_, slots_;
  std::vector<std::int64_t> begin_{0};  // [float ports + 1] offset of the port's copy, in floats
  std::vector<char> is_moved_;          // [Plan::rows] true if the list or shift that begins here is adjusted
};

}  // namespace cavs::cuda
