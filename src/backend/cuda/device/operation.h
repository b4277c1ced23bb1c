#pragma once

namespace cavs::cuda {

/// As host and device both have them.
using i32 = int;
using i64 = long long;

/// What kernels do, by host and device. Those from kCopy on work row by row, one for each operator of that name.
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
