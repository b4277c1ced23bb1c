#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cavs/session.h"
#include "decode/state_pool.h"

namespace cavs {

/// What grows: vertices of type `type`, which read one integer on `index_port` and push `output`.
struct Growth {
  std::string type, index_port, output;
};

/// Vertices to be evaluated in one step; each has children that are evaluated already.
struct NewVertices {
  std::vector<std::int32_t> read;              // by vertex: its integer
  std::vector<std::int32_t> child_offsets{0};  // [vertices + 1]
  std::vector<std::int32_t> children;          // slots: evaluated vertices; -1: absent

  std::int32_t size() const { return static_cast<std::int32_t>(read.size()); }
  void add(std::int32_t reads, std::span<const std::int32_t> its_children);
  void clear();
};

/// Graphs that grow while they are evaluated, because what a vertex reads depends on what others have pushed.
///
/// Each step is one minibatch of two levels: the new vertices, and one vertex of a type of its own for every distinct
/// child, whose states are given from outside. Vertices may share children, as hypotheses share the encoder's.
/// Programs, sessions and packed weights are made once. Rows are the same bits whatever the companions. Not
/// thread-safe.
class GrowingGraphs {
 public:
  /// @throws UserError if the model has no function `growth.type` that pushes `growth.output`.
  GrowingGraphs(const Model& model, std::shared_ptr<Parameters> parameters, Growth growth,
                const SessionOptions& options);

  /// Evaluates whole graphs as one minibatch and keeps what new vertices gather of `kept`, vertices by their number in
  /// the set. @return the evaluated vertices, in the order of `kept`.
  std::vector<std::int32_t> evaluate(const GraphSet& graphs, std::span<const std::int64_t> kept);

  /// Evaluates new vertices. @return the evaluated vertices.
  /// @throws UserError if the states of a child are not finite.
  std::vector<std::int32_t> step(const NewVertices& vertices);
  /// What new vertex k of the last step pushed at `growth.output`; valid until the next step.
  std::span<const float> output(std::int32_t k) const;
  /// Nobody will have these as children: their numbers go to others. -1 is ignored.
  void retire(std::span<const std::int32_t> vertices);
  /// Retires all vertices.
  void clear();

  /// On all threads of the team: f(worker, workers).
  void parallel(const std::function<void(int worker, int workers)>& f) { stepping_.parallel(f); }

 private:
  void number_children(const NewVertices& vertices);
  InputGraph step_graph(const NewVertices& vertices);
  template <typename VertexOf>
  std::vector<std::int32_t> keep(const Run& run, std::int64_t count, VertexOf vertex_of);

  Growth growth_;
  StatePool pool_;
  std::shared_ptr<const Program> reader_, stepper_;
  Session reading_, stepping_;
  std::vector<std::int32_t> given_;      // evaluated vertices that the step has as children, each once
  std::vector<std::int32_t> number_of_;  // by evaluated vertex: its number in the step; -1
  // Of the last step; a run reads its graphs.
  std::optional<GraphSet> graphs_;
  std::shared_ptr<const BoundGraphs> bound_;
  std::optional<Run> run_;
  std::vector<const float*> rows_;
  int width_ = 0;
};

}  // namespace cavs
