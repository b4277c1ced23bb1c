#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"

namespace cavs::cuda {

/// The rows of the data set's float ports that belong to the samples of a minibatch, sample after sample, and a plan
/// that reads them there. So a device gets only the part of a data set that a minibatch needs.
class PullRows {
 public:
  explicit PullRows(const Program& program) : program_(program) {}

  /// @return the given plan itself if it reads no such rows
  const Plan& collect(const Minibatch& minibatch, const Plan& plan);
  /// Number of floats of all ports, which follow each other; begin(port) is the offset of each. Ports supplied by runs,
  /// or read only by vertices with kept states, are empty.
  std::int64_t floats() const { return begin_.back(); }
  std::int64_t begin(std::size_t port) const { return begin_[port]; }
  /// Copies the rows.
  void copy(const Minibatch& minibatch, float* to) const;

 private:
  /// Consecutive rows of vertices, or of child slots, that belong to a sample.
  struct Run {
    std::int64_t source = 0, count = 0, begin = 0;
  };
  using Runs = std::vector<Run>;

  bool is_read(const Minibatch& minibatch, std::size_t port) const;
  bool is_of_edges(const Minibatch& minibatch, std::size_t port) const;
  void find_runs(const Minibatch& minibatch);
  void move(const Minibatch& minibatch, std::int32_t type);
  void move_list(const Runs& runs, Slice list);
  void move_shifts(const Runs& runs, std::int32_t type, std::size_t index, DomainId domain);
  static std::int32_t moved(const Runs& runs, std::int64_t source);

  const Program& program_;
  Plan plan_;
  Runs vertices_, slots_;
  std::vector<std::int64_t> begin_{0};  // [float ports + 1]
  std::vector<char> is_moved_;          // [rows of the plan] marks the first row of lists, and shifts
};

}  // namespace cavs::cuda
