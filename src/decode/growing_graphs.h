#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/session.h"
#include "decode/state_pool.h"
#include "pack/minibatch.h"
#include "tensor/scored_word.h"

namespace cavs::inline v0_1 {

struct KeptStates;

/// The kind of vertices that are added: they have type `type`, read one integer on `index_port`, and push `output`.
struct Growth {
  std::string type, index_port, output;
};

/// Vertices to evaluate in one step. All their children have been evaluated in earlier steps.
struct NewVertices {
  std::vector<std::int32_t> read;              // [vertices]: the integer that the vertex reads
  std::vector<std::int32_t> child_offsets{0};  // [vertices + 1]: where a vertex's children begin in `children`
  std::vector<std::int32_t> children;          // [slots]: id of the evaluated vertex; -1 if the child is absent

  std::int32_t size() const { return static_cast<std::int32_t>(read.size()); }
  void add(std::int32_t reads, std::span<const std::int32_t> its_children);
  void clear();
};

/// Graphs that grow while they are evaluated, because the input of a vertex depends on the outputs of others.
///
/// Each step is one or a few minibatches. A minibatch has the new vertices, and as their children one vertex, of a
/// separate type, for every evaluated vertex. The kept states of evaluated vertices are read in place. Vertices may
/// share children, as hypotheses share the encoder's vertices. Programs, sessions and packed weights are made once. A
/// row does not depend on other rows, bit for bit. Not thread-safe; objects of several threads share programs and
/// weights.
class GrowingGraphs {
 public:
  /// @throws UserError if the model has no function `growth.type` that pushes `growth.output`.
  GrowingGraphs(const Model& model, std::shared_ptr<Parameters> parameters, Growth growth,
                const SessionOptions& options);
  /// Makes empty graphs of the same model, which share programs and packed weights with `other`. @throws UserError for
  /// the options.
  GrowingGraphs(const GrowingGraphs& other, const SessionOptions& options);

  /// Width of the output.
  std::int32_t width() const { return width_; }

  /// Evaluates whole graphs as one minibatch. Keeps, for the vertices `kept` (numbers in the set), the states that new
  /// vertices gather. @return the evaluated vertices, in the order of `kept`.
  std::vector<std::int32_t> evaluate(const GraphSet& graphs, std::span<const std::int32_t> kept);

  /// Called with the row that new vertex k has pushed to `growth.output`.
  using ReadRow = std::function<void(std::int32_t k, std::span<const float> row)>;

  /// Evaluates new vertices, in pieces if there are many, so that memory is bounded. `read` is called once per vertex,
  /// on any thread, also concurrently, and must not throw. @return the evaluated vertices.
  /// @throws UserError if the states of a child are not finite.
  std::vector<std::int32_t> step(const NewVertices& vertices, const ReadRow& read);
  /// Like step() above, for outputs that are logits: finds the most probable words of each new vertex, the same number
  /// for all, as cpu::best_words() does. @param forced  [vertices]: the only word allowed; -1 means any.
  std::vector<std::int32_t> step(const NewVertices& vertices, std::span<const std::int32_t> forced,
                                 std::span<ScoredWord> words);
  /// Releases these vertices; their ids are reused. -1 is ignored.
  void retire(std::span<const std::int32_t> vertices);
  /// Retires all vertices.
  void clear();

 private:
  /// Vertices [begin, end) of a step.
  struct Piece {
    const NewVertices& vertices;
    std::int32_t begin, end;

    std::int32_t size() const { return end - begin; }
    std::span<const std::int32_t> children() const {
      return std::span(vertices.children).subspan(vertices.child_offsets[begin], slots());
    }
    std::int32_t slots() const { return vertices.child_offsets[end] - vertices.child_offsets[begin]; }
  };

  void set_graph(const Piece& piece);
  KeptStates kept_states(const Piece& piece);
  template <typename Answer>
  std::vector<std::int32_t> evaluate_piece(const Piece& piece, const Answer& answer);
  template <typename Answer>
  std::vector<std::int32_t> evaluate_all(const NewVertices& vertices, const Answer& answer);
  void read_rows(const Piece& piece, const Run& run, std::span<const std::int32_t> evaluated, const ReadRow& read);
  std::vector<std::int32_t> keep(const Run& run, std::span<const std::int32_t> vertices);

  Growth growth_;
  std::vector<KeptState> states_;                    // the states that new vertices gather
  std::shared_ptr<const Program> reader_, stepper_;  // for evaluate(); for step()
  Session reading_, stepping_;                       // of these programs
  StatePool pool_;                                   // a slot is the id of an evaluated vertex
  bool pulls_states_;                   // true if the engine computes kept vertices from their pulled states
  GraphSet graphs_;                     // the minibatch of a step
  std::unique_ptr<BoundGraphs> bound_;  // `graphs_` bound to stepper_
  std::int32_t width_ = 0, max_ = 1;    // width of the output; maximum number of vertices per piece
};

}  // namespace cavs::inline v0_1
