#include "backend/cuda/entries/row_calls.h"

#include <algorithm>

#include "support/check.h"

namespace cavs::cuda {
namespace {

constexpr RowCall kCalls[] = {
    {OpId::kCopy, kCopy, "Elements::copy"},
    {OpId::kSoftmax, kSoftmax, "Rows::softmax"},
    {OpId::kLogSoftmax, kLogSoftmax, "Rows::log_softmax"},
    {OpId::kSumFeatures, kSumFeatures, "Rows::sum_features<false>"},
    {OpId::kMeanFeatures, kMeanFeatures, "Rows::sum_features<true>"},
    {OpId::kMaxFeatures, kMaxFeatures, "Rows::max_features"},
    {OpId::kMaxFeaturesGrad, kMaxFeaturesGrad, "Rows::max_features_grad"},
    {OpId::kLogSumExp, kLogSumExp, "Rows::log_sum_exp"},
    {OpId::kHardMax, kHardMax, "Rows::hard_max"},
    {OpId::kOneHot, kOneHot, "Elements::one_hot"},
    {OpId::kLogMatmul, kLogMatmul, "Elements::max_matmul"},
    {OpId::kLogMatmulGrad, kLogMatmulGrad, "Elements::log_matmul_grad"},
    {OpId::kMaxMatmul, kMaxMatmul, "Elements::max_matmul"},
    {OpId::kMaxMatmulGrad, kMaxMatmulGrad, "Elements::max_matmul_grad"},
    {OpId::kDot, kDot, "Rows::dot"},
    {OpId::kLayerNorm, kLayerNorm, "Rows::layer_norm"},
    {OpId::kLayerNormGrad, kLayerNormGrad, "Rows::layer_norm_grad"},
    {OpId::kSoftmaxCrossEntropy, kSoftmaxCrossEntropy, "Rows::softmax_cross_entropy"},
    {OpId::kSoftmaxCrossEntropyGrad, kSoftmaxCrossEntropyGrad, "Rows::softmax_cross_entropy_grad"},
    {OpId::kBatchMatmul, kBatchMatmul, "Elements::batch_matmul"},
    {OpId::kBatchMatmulLeft, kBatchMatmulLeft, "Elements::batch_matmul"},
    {OpId::kBatchMatmulRight, kBatchMatmulRight, "Elements::batch_matmul"},
    {OpId::kBatchMatmulSum, kBatchMatmulSum, "Elements::batch_matmul_sum"},
    {OpId::kDiagonal, kDiagonal, "Elements::diagonal"},
    {OpId::kDiagonalGradient, kDiagonalGradient, "Elements::diagonal_gradient"},
    {OpId::kUnfold, kUnfold, "Windows::unfold"},
    {OpId::kFold, kFold, "Windows::fold"},
    {OpId::kMaxPool2d, kMaxPool2d, "Windows::pool2d<false>"},
    {OpId::kMaxPool2dGrad, kMaxPool2dGrad, "Windows::max_pool2d_grad"},
    {OpId::kAveragePool2d, kAveragePool2d, "Windows::pool2d<true>"},
    {OpId::kAveragePool2dGrad, kAveragePool2dGrad, "Windows::average_pool2d_grad"},
    {OpId::kDropoutMask, kDropoutMask, "Rows::dropout_mask"},
    {OpId::kSumChildren, kSumSegments, "Elements::sum_segments<false>"},
    {OpId::kMeanChildren, kMeanChildren, "Elements::sum_segments<true>"},
    {OpId::kMaxChildren, kMaxChildren, "Elements::max_children"},
    {OpId::kSoftmaxChildren, kSoftmaxChildren, "Elements::softmax_children"},
    {OpId::kMeanChildrenGrad, kMeanChildrenGrad, "Elements::mean_children_grad"},
    {OpId::kMaxChildrenGrad, kMaxChildrenGrad, "Elements::max_children_grad"},
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
