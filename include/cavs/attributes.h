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

/// The owner of each row of a value. kParameter has one row for the whole minibatch, kVertex one per
/// vertex, and kEdge one per edge (a vertex and one of its children). The other kinds depend on the input at a port.
/// kLabelled has one row per vertex with a label at the port; the value is never read at other vertices, and its
/// gradient is zero there. kPresent has one row per vertex with an input at the port; the value is zero at other
/// vertices. kDistinct has one row per different number at the port in a minibatch; the value is zero at vertices
/// without a number.
enum class DomainKind : std::uint8_t { kParameter, kLabelled, kPresent, kDistinct, kVertex, kEdge };

struct Domain {
  DomainKind kind = DomainKind::kVertex;
  std::string port = {};  // port on which the domain depends, for kLabelled, kPresent and kDistinct; else empty

  bool operator==(const Domain&) const = default;
};

/// True if only some vertices have a row, or several vertices share a row.
inline bool is_partial(const Domain& domain) {
  return domain.kind >= DomainKind::kLabelled && domain.kind <= DomainKind::kDistinct;
}

std::string to_string(const Domain& domain);

/// Returns the domain of a value that is computed element-wise from values of domains a and b. Equal domains are kept.
/// The result is kVertex for two different partial domains (is_partial), and otherwise the domain whose kind comes
/// later in DomainKind; the value of the other domain is broadcast to it.
Domain join(const Domain& a, const Domain& b);

/// The attributes of operators: arguments that are not inputs, such as sizes. Each family of operators has its own
/// type. Example: `apply_op("slice", {x}, attr::Columns{.begin = 2, .count = 4})`.
namespace attr {

struct None {
  bool operator==(const None&) const = default;
};

/// For sinks (scatter, push, and the gradients of sources): the name of the state, port or parameter that is written.
struct Named {
  std::string name = {};
  bool operator==(const Named&) const = default;
};

/// For sources (parameter, lookup, pull, pull_all, and the gradients of sinks): the name of the tensor that is read,
/// and the shape of one of its rows; for lookup, the shape of the table.
struct Tensor {
  std::string name = {};
  Shape shape = {};
  bool operator==(const Tensor&) const = default;
};

/// For gather, which reads the state `name` of the child in slot `slot`, and for children (`all` is true), which reads
/// the state `name` of the children in that slot and all later slots.
struct Children {
  std::string name = {};
  std::int32_t slot = 0;
  bool all = false;
  std::optional<Shape> shape = std::nullopt;  // shape of the state; absent until a scatter of the state is declared
  bool operator==(const Children&) const = default;
};

/// For pull_index: the port, and the domain of the result, which is kVertex unless a compiler pass has restricted it.
struct IndexPort {
  std::string name = {};
  DomainKind rows = DomainKind::kVertex;
  bool operator==(const IndexPort&) const = default;
};

/// For pull_edges and pull_edge_index: the port, the first child slot whose edge is read, and the shape of a row.
struct EdgePort {
  std::string name = {};
  std::int32_t first = 0;
  Shape shape = {};
  bool operator==(const EdgePort&) const = default;
};

/// For constant: a value with `number` in every element.
struct Constant {
  double number = 0;
  Shape shape = {};
  bool operator==(const Constant&) const = default;
};

/// For add_scalar and multiply_scalar: the scalar. For layer_norm: epsilon.
struct Number {
  double number = 0;
  bool operator==(const Number&) const = default;
};

/// For slice: columns [begin, begin + count) of the input are the result.
struct Columns {
  std::int32_t begin = 0, count = 0;
  bool operator==(const Columns&) const = default;
};

/// For part: part `index` (from 0) of `count` equal parts of the features is the result.
struct Part {
  std::int32_t index = 0, count = 0;
  bool operator==(const Part&) const = default;
};

/// For reshape: the new shape.
struct Target {
  Shape shape = {};
  bool operator==(const Target&) const = default;
};

/// For compact, expand and segment_sum: the domain of the result.
struct Rows {
  Domain domain = {};
  bool operator==(const Rows&) const = default;
};

/// For one_hot and softmax_cross_entropy: the number of classes. softmax_cross_entropy derives it from the logits.
struct Classes {
  std::int32_t count = 0;
  bool operator==(const Classes&) const = default;
};

/// For dropout. `mask` is the mask's number in its vertex function, so that compiler passes do not change the mask.
struct Dropout {
  double probability = 0;
  bool by_sample = false;  // true if all vertices of a sample share one mask
  std::int32_t mask = 0;
  bool operator==(const Dropout&) const = default;
};

/// For unfold, max_pool2d, average_pool2d. `height`, `width` and `channels` of the image are derived from the input.
struct Window {
  std::int32_t kernel_height = 0, kernel_width = 0;
  std::int32_t stride = 1, padding = 0;
  std::int32_t height = 0, width = 0, channels = 0;
  bool operator==(const Window&) const = default;
};

/// For batch_matmul: rows of the product, which are derived from the inputs. For weight_gradient: rows of each factor.
struct Matrices {
  std::int32_t rows = 0;
  bool operator==(const Matrices&) const = default;
};

/// For linear_cross_entropy and its gradients: the number of the loss in the vertex function. The operators of one loss
/// become one instruction.
struct Loss {
  std::int32_t number = 0;
  bool operator==(const Loss&) const = default;
};

}  // namespace attr

using Attributes = std::variant<attr::None, attr::Named, attr::Tensor, attr::Children, attr::IndexPort, attr::Constant,
                                attr::Number, attr::Columns, attr::Part, attr::Target, attr::Rows, attr::Classes,
                                attr::Dropout, attr::Window, attr::Matrices, attr::Loss, attr::EdgePort>;

/// Returns the name of the type of `attributes`, such as "Columns", for messages.
std::string_view kind_of(const Attributes& attributes);

}  // namespace v0_1
}  // namespace cavs
