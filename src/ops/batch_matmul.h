#pragma once

#include "ops/op.h"

namespace cavs {

/// Sizes of a product [m, k] times [k, n] of two values of a vertex.
struct ProductSizes {
  std::int32_t m, k, n;
};

/// Which operand is read transposed.
enum class Transposed : std::uint8_t { kNone, kLeft, kRight };

/// Keeps m where kernels and the plain definition find it (attributes.count), and sets the shape.
/// @throws UserError where the result is larger than a row can be.
void set_product_shape(Inference& i, const ProductSizes& sizes, Shape shape);

/// The gradients of the two matrices whose product inputs i and i + 1 make. A parameter's is one sum over all rows of
/// all vertices, unless the other one has no vertices either.
void add_matrix_gradients(GradientRule& g, int i);

/// The plain definition.
void multiply_reference(Reference& r, Transposed transposed);

}  // namespace cavs
