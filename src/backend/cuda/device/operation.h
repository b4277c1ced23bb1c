#pragma once

namespace cavs::cuda {

/// Types that are the same on host and device.
using i32 = int;
using i64 = long long;

/// Operations of kernels, for host and device. From kCopy on, they work row by row and have operators' names.
enum Operation {
  kNothing,
  kLoop,
  kProduct,
  kGroup,
  kWeightGradient,
  kSumRows,
  kLookupGradient,
  kSumSegments,
  kLinearCrossEntropy,
  kLoss,
  kSquares,
  kScale,
  kUpdate,
  kCopy,
  kSoftmax,
  kLogSoftmax,
  kSumFeatures,
  kMeanFeatures,
  kMaxFeatures,
  kMaxFeaturesGrad,
  kLogSumExp,
  kHardMax,
  kOneHot,
  kLogMatmul,
  kLogMatmulGrad,
  kMaxMatmul,
  kMaxMatmulGrad,
  kDot,
  kLayerNorm,
  kLayerNormGrad,
  kSoftmaxCrossEntropy,
  kSoftmaxCrossEntropyGrad,
  kBatchMatmul,
  kBatchMatmulLeft,
  kBatchMatmulRight,
  kBatchMatmulSum,
  kDiagonal,
  kDiagonalGradient,
  kUnfold,
  kFold,
  kMaxPool2d,
  kMaxPool2dGrad,
  kAveragePool2d,
  kAveragePool2dGrad,
  kDropoutMask,
  kMeanChildren,
  kMaxChildren,
  kSoftmaxChildren,
  kMeanChildrenGrad,
  kMaxChildrenGrad,
  kOperations
};

}  // namespace cavs::cuda
