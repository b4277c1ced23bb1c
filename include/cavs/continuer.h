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
  int words = 20;          // words to add, at most
  double temperature = 0;  // 0: the most probable word; 1: sampled from the model's probabilities; above: more evenly
  std::uint64_t seed = 1;  // of drawing
};

/// What a language model adds to a prompt.
struct Continuation {
  std::vector<std::string> words;  // without "<eos>"
  bool ended = false;              // the model produced "<eos>" within the maximum of words
  double log_probability = 0;      // natural, of the words (and of "<eos>" where it ended), at temperature 1
};

/// Continues prompts with a language model: of chain_schema(), with a vocabulary that has "<eos>" and one vertex
/// function that pushes "logits" (one per word). Not thread-safe.
///
/// A prompt is read once, without output; then every step evaluates one vertex per prompt, above the states of the one
/// before. Cost: linear in the words of prompt and continuation.
class Continuer {
 public:
  /// @throws UserError naming what the model lacks, or for an option that Session refuses.
  explicit Continuer(const TrainedModel& model, const SessionOptions& options = {});
  ~Continuer();

  /// All prompts together: a minibatch per step. Words are split by spaces, those that the model does not know are
  /// "<unk>"; a prompt may be empty. `first`: the number of the first prompt; with the seed and this number alone words
  /// are drawn, so a prompt's continuation does not depend on its companions.
  std::vector<Continuation> run(std::span<const std::string> prompts, const ContinueOptions& options = {},
                                std::int64_t first = 0);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether samples of this model are text, so that a Continuer can use it; a Predictor takes any other model.
bool reads_text(const TrainedModel& model);

}  // namespace cavs
