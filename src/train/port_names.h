#pragma once

namespace cavs::inline v0_1 {

/// The push port of the scores of classifiers and language models. Accuracy and predictions read it.
inline constexpr const char* kLogits = "logits";

/// The push port of class probabilities for models, such as a CRF, that do not use the softmax of the scores.
inline constexpr const char* kProbabilities = "probabilities";

/// The push port of models that predict one number per vertex, and the float port of the true numbers in the data.
inline constexpr const char* kScore = "score";

}  // namespace cavs::inline v0_1
