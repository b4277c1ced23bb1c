#pragma once

#include <cstdint>

#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

/// A measure of how good a model is, besides its loss. Each compares a push port of the model with a port of the data,
/// which have the names below. Asking for a metric whose ports are missing is an error.
enum class Metric : std::uint8_t {
  kAccuracy,     // the share of labels (index port "label") at which the push "logits" is largest; over all vertices,
                 // and over the roots
  kPerplexity,   // exp(mean loss per label); n where all of n words are equally probable; reads the loss alone
  kF1,           // of tags (index port "label", push "logits"): of tokens that are not O, and of whole entities
  kCorrelation,  // of the numbers of the push "score" with those of the float port "score", one number wide each
};

}  // namespace v0_1
}  // namespace cavs
