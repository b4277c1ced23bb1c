#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cavs/shape.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// The owner of each row of a value: the whole minibatch (kParameter), a vertex, or an edge (a vertex and one of its
/// children). The other kinds refer to a port. kLabelled has a row per vertex with a label there; at other vertices the
/// value is not read and the gradient is zero. kPresent has a row per vertex with this input; at other vertices the
/// value is zero. kDistinct has a row per different number at the vertices of a minibatch; the value is zero at
/// vertices without a number.
enum class DomainKind : std::uint8_t { kParameter, kLabelled, kPresent, kDistinct, kVertex, kEdge };

struct Domain {
  DomainKind kind = DomainKind::kVertex;
  std::string port = {};  // for kLabelled, kPresent and kDistinct

  bool operator==(const Domain&) const = default;
};

/// True if only some vertices have a row, or several vertices share a row.
inline bool is_partial(const Domain& domain) {
  return domain.kind >= DomainKind::kLabelled && domain.kind <= DomainKind::kDistinct;
}

std::string to_string(const Domain& domain);

/// The domain of a value computed from both domains by broadcasting. kParameter is broadcast to all others, and all of
/// these to kVertex and kEdge.
Domain join(const Domain& a, const Domain& b);

/// Attributes: the arguments of operators besides their inputs. Each family of operators has a type for them.
/// Example: `apply_op("slice", {x}, attr::Columns{.begin = 2, .count = 4})`.
namespace attr {

struct None {
  bool operator==(const None&) const = default;
};

/// Sinks (scatter, push, and the gradients of sources): the name of the state, port or parameter that is written.
struct Named {
  std::string name = {};
  bool operator==(const Named&) const = default;
};

/// Sources (parameter, lookup, pull, pull_all, and the gradients of sinks): name and shape of the tensor that is read;
/// for lookup the shape of the table.
struct Tensor {
  std::string name = {};
  Shape shape = {};
  bool operator==(const Tensor&) const = default;
};

/// gather reads the state `name` of the child in `slot`; children (with `all`) reads those of all children from `slot`
/// on.
struct Children {
  std::string name = {};
  std::int32_t slot = 0;
  bool all = false;
  std::optional<Shape> shape = std::nullopt;  // of the state; known after its scatter
  bool operator==(const Children&) const = default;
};

/// pull_index: the port, and the vertices that read it, which a pass may restrict.
struct IndexPort {
  std::string name = {};
  DomainKind rows = DomainKind::kVertex;
  bool operator==(const IndexPort&) const = default;
};

/// pull_edges, pull_edge_index: the port, the first slot of the edges, and the features of a row.
struct EdgePort {
  std::string name = {};
  std::int32_t first = 0;
  Shape shape = {};
  bool operator==(const EdgePort&) const = default;
};

/// constant: a value with `number` in every element.
struct Constant {
  double number = 0;
  Shape shape = {};
  bool operator==(const Constant&) const = default;
};

/// add_scalar, multiply_scalar: the scalar. layer_norm: epsilon.
struct Number {
  double number = 0;
  bool operator==(const Number&) const = default;
};

/// slice: columns [begin, begin + count).
struct Columns {
  std::int32_t begin = 0, count = 0;
  bool operator==(const Columns&) const = default;
};

/// part: part `index` (from 0) of `count` equal parts of the features.
struct Part {
  std::int32_t index = 0, count = 0;
  bool operator==(const Part&) const = default;
};

/// reshape: the new shape.
struct Target {
  Shape shape = {};
  bool operator==(const Target&) const = default;
};

/// compact, expand, segment_sum: the domain of the result.
struct Rows {
  Domain domain = {};
  bool operator==(const Rows&) const = default;
};

/// one_hot, softmax_cross_entropy: the number of classes; the latter derives it from the logits.
struct Classes {
  std::int32_t count = 0;
  bool operator==(const Classes&) const = default;
};

/// dropout: `mask` numbers the masks of a vertex function, so that passes do not change what is dropped.
struct Dropout {
  double probability = 0;
  bool by_sample = false;  // one mask for all vertices of a sample
  std::int32_t mask = 0;
  bool operator==(const Dropout&) const = default;
};

/// unfold, max_pool2d, average_pool2d: `height`, `width` and `channels` are the image's, derived from the input.
struct Window {
  std::int32_t kernel_height = 0, kernel_width = 0;
  std::int32_t stride = 1, padding = 0;
  std::int32_t height = 0, width = 0, channels = 0;
  bool operator==(const Window&) const = default;
};

/// batch_matmul: rows of the product, derived from the inputs (0 before). weight_gradient: rows of each factor.
struct Matrices {
  std::int32_t rows = 0;
  bool operator==(const Matrices&) const = default;
};

/// linear_cross_entropy and its gradients: number of the loss in the vertex function. Operators of one loss become one
/// instruction.
struct Loss {
  std::int32_t number = 0;
  bool operator==(const Loss&) const = default;
};

}  // namespace attr

using Attributes = std::variant<attr::None, attr::Named, attr::Tensor, attr::Children, attr::IndexPort, attr::Constant,
                                attr::Number, attr::Columns, attr::Part, attr::Target, attr::Rows, attr::Classes,
                                attr::Dropout, attr::Window, attr::Matrices, attr::Loss, attr::EdgePort>;

/// The name of the attributes' type, such as "Columns", for messages.
std::string_view kind_of(const Attributes& attributes);

}  // namespace v0_1
}  // namespace cavs
