#include "backend/cuda/persistent/row_calls.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr RowCall kCalls[] = {
    {OpId::kCopy, kCopy, "copy(r, c, x0, x1)"},
    {OpId::kSoftmax, kSoftmax, "softmax(work, x0, x1)"},
    {OpId::kLogSoftmax, kLogSoftmax, "log_softmax(work, x0, x1)"},
    {OpId::kSumFeatures, kSumFeatures, "sum_features(work, x0, x1, false)"},
    {OpId::kMeanFeatures, kMeanFeatures, "sum_features(work, x0, x1, true)"},
    {OpId::kMaxFeatures, kMaxFeatures, "max_features(work, x0, x1)"},
    {OpId::kMaxFeaturesGrad, kMaxFeaturesGrad, "max_features_grad(work, x0, x1, x2, x3)"},
    {OpId::kLogSumExp, kLogSumExp, "log_sum_exp(work, x0, x1)"},
    {OpId::kHardMax, kHardMax, "hard_max(work, x0, x1)"},
    {OpId::kOneHot, kOneHot, "one_hot(r, c, labels, x0)"},
    {OpId::kLogMatmul, kLogMatmul, "max_matmul(r, c, x0, x1, x2, operation == kLogMatmul)"},
    {OpId::kLogMatmulGrad, kLogMatmulGrad, "log_matmul_grad(r, c, x0, x1, x2, x3, x4)"},
    {OpId::kMaxMatmul, kMaxMatmul, "max_matmul(r, c, x0, x1, x2, operation == kLogMatmul)"},
    {OpId::kMaxMatmulGrad, kMaxMatmulGrad, "max_matmul_grad(r, c, x0, x1, x2, x3, x4)"},
    {OpId::kDot, kDot, "dot(work, x0, x1, x2)"},
    {OpId::kLayerNorm, kLayerNorm, "layer_norm(work, number, x0, x1)"},
    {OpId::kLayerNormGrad, kLayerNormGrad, "layer_norm_grad(work, number, x0, x1, x2)"},
    {OpId::kSoftmaxCrossEntropy, kSoftmaxCrossEntropy, "softmax_cross_entropy(work, labels, x0, x1)"},
    {OpId::kSoftmaxCrossEntropyGrad, kSoftmaxCrossEntropyGrad, "softmax_cross_entropy_grad(work, labels, x0, x1, x2)"},
    {OpId::kBatchMatmul, kBatchMatmul, "batch_matmul(r, c, matrix_rows, x0, x1, x2, operation)"},
    {OpId::kBatchMatmulLeft, kBatchMatmulLeft, "batch_matmul(r, c, matrix_rows, x0, x1, x2, operation)"},
    {OpId::kBatchMatmulRight, kBatchMatmulRight, "batch_matmul(r, c, matrix_rows, x0, x1, x2, operation)"},
    {OpId::kBatchMatmulSum, kBatchMatmulSum, "batch_matmul_sum(r, c, matrix_rows, x0, x1, x2, x3, x4)"},
    {OpId::kDiagonal, kDiagonal, "diagonal(r, c, x0, x1)"},
    {OpId::kDiagonalGradient, kDiagonalGradient, "diagonal_gradient(r, c, x0, x1)"},
    {OpId::kUnfold, kUnfold, "unfold(work, window, x0, x1)"},
    {OpId::kFold, kFold, "fold(work, window, x0, x1)"},
    {OpId::kMaxPool2d, kMaxPool2d, "pool2d(work, window, x0, x1, false)"},
    {OpId::kMaxPool2dGrad, kMaxPool2dGrad, "max_pool2d_grad(work, window, x0, x1, x2, x3)"},
    {OpId::kAveragePool2d, kAveragePool2d, "pool2d(work, window, x0, x1, true)"},
    {OpId::kAveragePool2dGrad, kAveragePool2dGrad, "average_pool2d_grad(work, window, x0, x1)"},
    {OpId::kDropoutMask, kDropoutMask, "dropout_mask(work, entry, x0)"},
    {OpId::kSumChildren, kSumSegments, "sum_segments(r, c, x0, x1, false)"},
    {OpId::kMeanChildren, kMeanChildren, "sum_segments(r, c, x0, x1, true)"},
    {OpId::kMaxChildren, kMaxChildren, "max_children(r, c, x0, x1)"},
    {OpId::kSoftmaxChildren, kSoftmaxChildren, "softmax_children(r, c, x0, x1)"},
    {OpId::kMeanChildrenGrad, kMeanChildrenGrad, "mean_children_grad(r, c, x0, x1)"},
    {OpId::kMaxChildrenGrad, kMaxChildrenGrad, "max_children_grad(r, c, x0, x1, x2, x3)"},
};

}  // namespace

const RowCall* find_row_call(OpId op) {
  const auto* const call = std::ranges::find(kCalls, op, &RowCall::op);
  return call == std::end(kCalls) ? nullptr : call;
}

const RowCall& row_call(Operation operation) {
  const auto* const call = std::ranges::find(kCalls, operation, &RowCall::operation);
  CAVS_ASSERT(call != std::end(kCalls));
  return *call;
}

}  // namespace cavs::cuda
