// Functions of Values that are composed of operators.

#include <cmath>

#include "ir/builder.h"
#include "ops/window.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the shape of x. @throws UserError if it is not known yet: a gathered state gets its shape from a scatter,
/// which may be declared later.
const Shape& known_shape(std::string_view what, const Value& x) {
  const Function& f = builder_of(what, x).function();
  user_check(
      f.nodes[x.id()].shape_known,
      "[{}] the shape of {} is not known yet, in vertex function '{}'; declare the vertex function that scatters it "
      "first",
      what, describe(f, x.id()), f.name);
  return f.nodes[x.id()].shape;
}

/// Returns 1 where mask > 0, else 0.
Value is_candidate(const Value& mask) {
  return apply_op("greater", {mask, builder_of("greater", mask).apply(OpId::kConstant, {})});
}

/// Returns x where mask > 0, else a number far below all others, whose softmax is 0.
Value candidates(const Value& x, const Value& mask) {
  constexpr double kFar = 1e30;
  return x + (is_candidate(mask) - 1) * kFar;
}

}  // namespace

Value where(const Value& condition, const Value& x, const Value& y) {
  const Value zero = builder_of("where", condition).apply(OpId::kConstant, {});
  return keep(condition, x) + keep(apply_op("equal", {condition, zero}), y);
}

Value attention(const Value& query, const Value& keys, const Value& values) {
  const auto width = static_cast<double>(known_shape("attention", query).size());
  return sum(softmax_children(dot(query, keys) / std::sqrt(width)) * values);
}

Value additive_attention(const Value& query, const Value& keys, const Value& values, const Parameter& v) {
  const Value weight = builder_of("additive_attention", query).parameter(v);
  return sum(softmax_children(dot(tanh(query + keys), weight)) * values);
}

Value masked_softmax(const Value& x, const Value& mask) { return softmax(candidates(x, mask)) * is_candidate(mask); }

Value masked_softmax_cross_entropy(const Value& logits, const Value& mask, const IndexValue& label) {
  return softmax_cross_entropy(candidates(logits, mask), label);
}

Value highway(const Value& x, const Value& y, const Parameter& w, const Parameter& b) {
  return x + sigmoid(x * w + b) * (y - x);
}

Value conv2d(const Value& x, const Parameter& w, const Parameter& b, int stride, int padding) {
  FunctionBuilder& builder = builder_of("conv2d", x);
  const std::vector<std::int32_t> image = known_shape("conv2d", x).dims, &kernel = w.shape.dims;
  user_check(image.size() == 3 && kernel.size() == 4 && kernel[2] == image[2] && b.shape == Shape{kernel[3]},
             "[conv2d] {} is {}, the weight '{}' {}, the bias '{}' {}; expected an image [height, width, channels], "
             "[kernel height, kernel width, channels, n] and [n], in vertex function '{}'",
             describe(builder.function(), x.id()), to_string(known_shape("conv2d", x)), w.name, to_string(w.shape),
             b.name, to_string(b.shape), builder.function().name);
  const Value seen = unfold(x, {kernel[0], kernel[1]}, stride, padding);
  const Window window = window_of(builder.function().nodes[seen.id()].get<attr::Window>());
  const auto positions = static_cast<std::int32_t>(window.positions()), n = kernel[3];
  const Value ones = builder.apply(OpId::kConstant, {}, attr::Constant{.number = 1, .shape = {positions, 1}});
  const Value weight = reshape(builder.parameter(w), {static_cast<std::int32_t>(window.size()), n});
  // The bias of all positions does not depend on the vertex (domain kParameter). So it is computed once per minibatch,
  // and its gradient is summed over vertices before this product is differentiated.
  const Value bias = batch_matmul(ones, reshape(builder.parameter(b), {1, n}));
  return reshape(batch_matmul(seen, weight) + bias,
                 {static_cast<std::int32_t>(window.rows()), static_cast<std::int32_t>(window.columns()), n});
}

}  // namespace cavs::inline v0_1
