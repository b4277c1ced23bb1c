#pragma once

namespace cavs {

/// The push that classifiers and language models put their scores at; what accuracy and predictions are read from.
inline constexpr const char* kLogits = "logits";

}  // namespace cavs
