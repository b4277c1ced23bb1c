#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/session.h"
#include "cavs/trained_model.h"

namespace cavs {

struct ContinueOptions {
  int words = 20;          // maximum of words to add
  double temperature = 0;  // 0: the most probable word; 1: sampled from the model's probabilities; above 1: more evenly
  std::uint64_t seed = 1;  // of the sampling
};

/// What a language model adds to a prompt.
struct Continuation {
  std::vector<std::string> words;  // without "<eos>"
  bool ended = false;              // whether the model produced "<eos>" within the maximum of words
  double log_probability = 0;      // natural logarithm, of the words (and of "<eos>" if it ended), at temperature 1
};

/// Continues prompts with a language model. The model must be one of chain_schema(), with a vocabulary that has
/// "<eos>", and with one vertex function, which pushes "logits" (one per word). Not thread-safe.
///
/// A prompt is read once, without computing logits for it. Then every step evaluates one vertex per prompt, whose child
/// is the vertex of the step before. Cost: linear in the words of prompt and continuation.
class Continuer {
 public:
  /// @throws UserError naming what the model lacks, or for an option that Session refuses.
  explicit Continuer(const TrainedModel& model, const SessionOptions& options = {});
  ~Continuer();

  /// Continues all prompts together, a minibatch per step. Words are split by spaces; unknown ones become "<unk>"; a
  /// prompt may be empty. What is drawn depends on the seed and the prompt's number (`first`, `first` + 1, ...), not on
  /// other prompts. @throws UserError for an option out of range, probabilities not finite, or too little memory.
  std::vector<Continuation> run(std::span<const std::string> prompts, const ContinueOptions& options = {},
                                std::int64_t first = 0);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether samples of this model are text, so that a Continuer can use it; a Predictor takes any other model.
bool reads_text(const TrainedModel& model);

}  // namespace cavs
