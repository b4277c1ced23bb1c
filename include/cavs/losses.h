#pragma once

#include <vector>

#include "cavs/model.h"

namespace cavs {

// Losses that are made of operators: one number a vertex, for Vertex::loss. Where the target is pulled and the vertex
// has none, a loss is 0 and has no gradient, as that of mean_squared_error. Names and formulas are PyTorch's; what its
// "mean" divides by is left to Vertex::loss.

struct CrossEntropyOptions {
  std::vector<float> class_weights = {};  // [classes], each from 0: what the loss of a class is multiplied with
  double label_smoothing = 0;             // 0 to 1: the share of the target that all classes have alike
};
/// -log softmax(logits)[label] with class weights and label smoothing (Szegedy et al., CVPR 2016, section 7).
/// @param logits  [classes]   @return [], 0 where the label is -1
/// @throws UserError unless there is a weight a class (of at most 1,000), or for an option out of range.
Value softmax_cross_entropy(const Value& logits, const IndexValue& label, const CrossEntropyOptions& options);

/// Of several labels that a vertex has or has not, the mean of -log sigmoid(logit) or -log(1 - sigmoid(logit)).
/// @param logits, target  [labels]; a target is 0 or 1, or a probability
/// @param positive_weight  what the former is multiplied with
Value binary_cross_entropy(const Value& logits, const Value& target, double positive_weight = 1);
/// The mean of those labels alone that are known. @param present  [labels]: 1 where one is, else 0
Value binary_cross_entropy(const Value& logits, const Value& target, const Value& present, double positive_weight = 1);

/// Mean of the squared differences of those features alone whose target is known; 0 where none is.
/// @param x, target  [n]   @param present  [n]: 1 where a target is known, else 0; a float port of the data, say
Value mean_squared_error(const Value& x, const Value& target, const Value& present);

/// max(0, margin - order * (first - second)): one score is to be larger than another, by a margin.
/// @param first, second  scores, []   @param order  []: 1 where the first is to be the larger one, -1 where the second
Value margin_ranking(const Value& first, const Value& second, const Value& order, double margin = 0);

}  // namespace cavs
