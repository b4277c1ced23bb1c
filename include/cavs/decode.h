#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cavs/data.h"
#include "cavs/session.h"
#include "cavs/trained_model.h"
#include "cavs/version.h"

namespace cavs {
inline namespace CAVS_API v0_1 {

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

struct TranslateOptions {
  int beam = 1;                 // hypotheses kept for a sentence; 1: greedy, the most probable word each time
  int best = 1;                 // translations that are returned for a sentence; at most `beam`
  double length_penalty = 0.6;  // alpha of Wu et al. (2016): score = log P / ((5 + n) / 6)^alpha, n words with "<eos>"
  int max_words = 0;            // of a translation, without "<eos>"; 0: 2 n + 10 for a source of n words
};

struct Translation {
  std::vector<std::string> words;  // without "<eos>"
  double log_probability = 0;      // natural logarithm, of the words and "<eos>"
  double score = 0;                // by which translations are ordered
};

/// Translates with an encoder-decoder. The model must be one of translation_schema(), with a vocabulary that has
/// "<eos>", and with a vertex function "decoder" that pushes "logits" (one per word). Not thread-safe.
///
/// The decoder reads the words that it has produced, so its graph grows while it is evaluated. The children of a
/// decoder vertex (the one before it, and any vertices of the source) are as in training. Sources are encoded together;
/// then every step evaluates one vertex for each live hypothesis of all sentences as one minibatch. With several
/// threads, each translates a share of the sentences; a single sentence is translated by all threads together. On a GPU
/// all sentences are translated together. At the maximum length only "<eos>" may follow. Ties: the hypothesis that was
/// better before, then the word with the smaller id. Cost: linear in the words of the sources, and in words produced
/// times beam; the output layer dominates.
class Translator {
 public:
  /// @throws UserError naming what the model lacks, or for an option that Session refuses.
  explicit Translator(const TrainedModel& model, const SessionOptions& options = {});
  ~Translator();

  /// The best translations of each sentence, best first; they have the same bits whatever the other sentences. Words
  /// are split by spaces; those that the model does not know become "<unk>". A sentence without words has one
  /// translation, which has none either.
  /// @throws UserError for an option out of range, a model whose probabilities are not numbers, or if a step needs more
  /// memory than its part of the limit. That is 1/2 of the limit with one thread or on a GPU, and 1 / (2 T + 2) with
  /// T > 1 threads.
  /// The limit does not count the states that sentences keep from step to step.
  std::vector<std::vector<Translation>> run(std::span<const std::string> sentences,
                                            const TranslateOptions& options = {});

  /// The same, but an error of a sentence does not end the others: errors[i] says why sentence i has no translation.
  /// `errors` is as long as `sentences`, or empty; where it already says something, the sentence is left out.
  std::vector<std::vector<Translation>> run(std::span<const std::string> sentences, const TranslateOptions& options,
                                            std::vector<std::string>& errors);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether samples of this model are pairs of sentences, so that a Translator can use it.
bool translates(const TrainedModel& model);

/// BLEU of the best translations of `text.source` against `text.target` (cavs/scores.h), made `batch_size` at a time.
/// @throws UserError for unequal numbers of sources and targets, a batch size below 1, and as Translator::run().
double translation_bleu(Translator& translator, const PairedText& text, const TranslateOptions& options,
                        int batch_size = 64);

}  // namespace v0_1
}  // namespace cavs
