#pragma once

#include <cstdint>
#include <vector>

#include "ops/op.h"

// softmax_cross_entropy(x w + b, label) as one operator, and its gradients by x, w and b. Inputs: x, w, label, b where
// there is one, and last, of the gradients, dy. The pass tile_softmax makes them; Attributes::index is the number of
// the loss in its function, the same for its gradients, so that one instruction computes them together.
namespace cavs {

/// The number of inputs that a loss and its gradients share: 3, or 4 with b.
int shared_inputs(const Node& node);

/// The label, which is a class of the product.
IndexInput linear_label();

/// Logits of row `i` of the plain definitions.
std::vector<double> linear_logits(const Reference& r, std::int64_t i, int shared);

/// Gradient by the logits of row `i`: (softmax - one-hot) * dy, 0 where the label is -1.
std::vector<double> linear_logits_gradient(const Reference& r, std::int64_t i);

}  // namespace cavs
