#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "pack/minibatch.h"
#include "plan/plan.h"

namespace cavs::cuda {

/// The rows of the data set's float ports that belong to the samples of a minibatch, one sample after the other, and a
/// plan that reads them there: the device gets no more of a data set than a minibatch needs.
class PullRows {
 public:
  explicit PullRows(const Program& program) : program_(program) {}

  /// @return the plan itself where it reads no such rows
  const Plan& collect(const Minibatch& minibatch, const Plan& plan);
  /// Numbers of all ports, one after the other, and where each begins: [float ports]. Ports that runs give, or that
  /// only vertices with kept states have, have none.
  std::int64_t floats() const { return begin_.back(); }
  std::int64_t begin(std::size_t port) const { return begin_[port]; }
  /// Copies them.
  void copy(const Minibatch& minibatch, float* to) const;

 private:
  /// Rows of vertices, or of children's slots, that belong to a sample.
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
  std::vector<char> is_moved_;          // [rows of the plan] of lists their first, and shifts
};

}  // namespace cavs::cuda
