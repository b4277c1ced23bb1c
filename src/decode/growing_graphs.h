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
/// Each step is a minibatch (or a few) of two levels: the new vertices, and one vertex of a type of its own for every
/// evaluated one, whose states are read where they were kept. Vertices may share children, as hypotheses share the
/// encoder's. Programs, sessions and packed weights are made once. Rows are the same bits whatever the companions. Not
/// thread-safe; threads share programs and packed weights.
class GrowingGraphs {
 public:
  /// @throws UserError if the model has no function `growth.type` that pushes `growth.output`.
  GrowingGraphs(const Model& model, std::shared_ptr<Parameters> parameters, Growth growth,
                const SessionOptions& options);
  /// None yet, of the same model: shares its programs and packed weights. @throws UserError for the options.
  GrowingGraphs(const GrowingGraphs& other, const SessionOptions& options);

  /// Numbers of the output.
  std::int32_t width() const { return width_; }

  /// Evaluates whole graphs as one minibatch and keeps what new vertices gather of `kept`, vertices by their number in
  /// the set. @return the evaluated vertices, in the order of `kept`.
  std::vector<std::int32_t> evaluate(const GraphSet& graphs, std::span<const std::int32_t> kept);

  /// What new vertex k pushed at `growth.output`.
  using ReadRow = std::function<void(std::int32_t k, std::span<const float> row)>;

  /// Evaluates new vertices, many in pieces, so that memory is bounded. `read` is called once for each, on any thread,
  /// several at once; it must not throw. @return the evaluated vertices.
  /// @throws UserError if the states of a child are not finite.
  std::vector<std::int32_t> step(const NewVertices& vertices, const ReadRow& read);
  /// The same where outputs are logits: finds of each new vertex equally many `words`, the most probable ones as
  /// cpu::best_words() has them. @param forced  by vertex: the only word that is found, -1: any
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
  std::vector<KeptState> states_;  // that new vertices gather
  std::shared_ptr<const Program> reader_, stepper_;
  Session reading_, stepping_;
  StatePool pool_;
  bool pulls_states_;                   // the engine evaluates the vertices that stand for evaluated ones, too
  GraphSet graphs_;                     // of a step
  std::unique_ptr<BoundGraphs> bound_;  // these and the program
  std::int32_t width_ = 0, max_ = 1;    // of the output; vertices in a piece
};

}  // namespace cavs::inline v0_1
