#pragma once

namespace cavs::inline v0_1 {

/// The push that classifiers and language models put their scores at; what accuracy and predictions are read from.
inline constexpr const char* kLogits = "logits";

/// The push of a model whose classes are not the softmax of its scores, such as those of a CRF.
inline constexpr const char* kProbabilities = "probabilities";

/// The push of a model that finds a number a vertex, and the float port of the data that gives it.
inline constexpr const char* kScore = "score";

}  // namespace cavs::inline v0_1
