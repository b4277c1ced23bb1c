#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cavs/domain.h"
#include "cavs/shape.h"

namespace cavs {

/// What operators are told besides their inputs: a type for each family of them.
/// Example: `apply_op("slice", {x}, attr::Columns{.begin = 2, .count = 4})`.
namespace attr {

struct None {
  bool operator==(const None&) const = default;
};

/// Of a sink (scatter, push and what autodiff makes of sources): a state, a port, a parameter.
struct Named {
  std::string name = {};
  bool operator==(const Named&) const = default;
};

/// Of a source (parameter, lookup, pull, pull_all, and what autodiff makes of sinks). `shape` of lookup: of the table.
struct Tensor {
  std::string name = {};
  Shape shape = {};
  bool operator==(const Tensor&) const = default;
};

/// gather: the state of the child in `slot`. children: of `all` children from `slot` on.
struct Children {
  std::string name = {};
  std::int32_t slot = 0;
  bool all = false;
  std::optional<Shape> shape = std::nullopt;  // of the state: known once its scatter has been seen
  bool operator==(const Children&) const = default;
};

/// pull_index: the port; of which vertices, where a pass has narrowed them down.
struct IndexPort {
  std::string name = {};
  DomainKind rows = DomainKind::kVertex;
  bool operator==(const IndexPort&) const = default;
};

/// constant: `number` in every element.
struct Constant {
  double number = 0;
  Shape shape = {};
  bool operator==(const Constant&) const = default;
};

/// add_scalar, multiply_scalar; layer_norm: epsilon.
struct Number {
  double number = 0;
  bool operator==(const Number&) const = default;
};

/// slice: columns [begin, begin + count).
struct Columns {
  std::int32_t begin = 0, count = 0;
  bool operator==(const Columns&) const = default;
};

/// part: number `index` of `count` equal parts.
struct Part {
  std::int32_t index = 0, count = 0;
  bool operator==(const Part&) const = default;
};

/// reshape: the shape wanted.
struct Target {
  Shape shape = {};
  bool operator==(const Target&) const = default;
};

/// compact, expand, segment_sum: the rows of the value.
struct Rows {
  Domain domain = {};
  bool operator==(const Rows&) const = default;
};

/// one_hot: the classes. softmax_cross_entropy: found from the logits.
struct Classes {
  std::int32_t count = 0;
  bool operator==(const Classes&) const = default;
};

/// dropout. `mask` numbers the masks of a vertex function, so that they stay the same whatever the passes do.
struct Dropout {
  double probability = 0;
  bool by_sample = false;  // one mask for all vertices of a sample
  std::int32_t mask = 0;
  bool operator==(const Dropout&) const = default;
};

/// unfold, max_pool2d, average_pool2d. `height`, `width` and `channels` of the image are found from the input.
struct Window {
  std::int32_t kernel_height = 0, kernel_width = 0;
  std::int32_t stride = 1, padding = 0;
  std::int32_t height = 0, width = 0, channels = 0;
  bool operator==(const Window&) const = default;
};

/// batch_matmul: the rows of the product, found from the inputs; 0 until then. weight_gradient: those of each factor.
struct Matrices {
  std::int32_t rows = 0;
  bool operator==(const Matrices&) const = default;
};

/// linear_cross_entropy and its gradients: which loss of the vertex function, so that one instruction makes them all.
struct Loss {
  std::int32_t number = 0;
  bool operator==(const Loss&) const = default;
};

}  // namespace attr

using Attributes = std::variant<attr::None, attr::Named, attr::Tensor, attr::Children, attr::IndexPort, attr::Constant,
                                attr::Number, attr::Columns, attr::Part, attr::Target, attr::Rows, attr::Classes,
                                attr::Dropout, attr::Window, attr::Matrices, attr::Loss>;

/// "Columns", for messages.
std::string_view kind_of(const Attributes& attributes);

}  // namespace cavs
