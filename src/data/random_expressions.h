#pragma once

#include <cstdint>
#include <utility>

#include "data/random_sequences.h"

namespace cavs {

/// The schema of expressions whose parts may be shared: type "vertex"; index ports "word" and "label". So do JSON lines
/// without types give it.
GraphSchema expression_schema();

/// ListOps as a directed acyclic graph: digits, then operators over two or three of the vertices before them, with
/// their value as label. A vertex may be read by several operators or by none.
class ExpressionSource {
 public:
  /// `words`: listops_vocabulary(), or what a model knows of it.
  ExpressionSource(const SequenceShape& shape, Vocabulary words) : shape_(shape), words_(std::move(words)) {}
  InputGraph expression(Split split, std::int64_t i) const;

 private:
  SequenceShape shape_;  // length: operators on average
  Vocabulary words_;
};

}  // namespace cavs
