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
  int words = 20;          // maximum number of words to add
  double temperature = 0;  // divisor of the logits before sampling; 0 takes the most probable word
  std::uint64_t seed = 1;  // seed of the random draws
};

/// The words that a language model adds to a prompt.
struct Continuation {
  std::vector<std::string> words;  // without "<eos>"
  bool ended = false;              // true if the model produced "<eos>" within the maximum number of words
  double log_probability = 0;      // natural logarithm, for the words and (if `ended`) "<eos>", at temperature 1
};

/// Continues prompts with a language model. The model must have chain_schema(), a vocabulary with "<eos>", and a single
/// vertex function, which pushes "logits" (one per word). Not thread-safe.
///
/// Each prompt is read once, without computing its logits. Then every step evaluates one vertex per prompt, whose child
/// is the vertex of the previous step. Cost: linear in the words of prompts and continuations.
class Continuer {
 public:
  /// @throws UserError naming what the model lacks, or for an option that Session refuses.
  explicit Continuer(const TrainedModel& model, const SessionOptions& options = {});
  ~Continuer();

  /// Continues all prompts together, one minibatch per step. Spaces separate words, unknown words become "<unk>", and a
  /// prompt may be empty. Random draws for a prompt depend on the seed and the prompt's number (`first`, `first` + 1,
  /// ...), not on other prompts. @throws UserError for an option out of range, probabilities that are not finite, or
  /// too little memory.
  std::vector<Continuation> run(std::span<const std::string> prompts, const ContinueOptions& options = {},
                                std::int64_t first = 0);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if the model reads text, so that a Continuer can use it. All other models are for Predictor.
bool reads_text(const TrainedModel& model);

struct TranslateOptions {
  int beam = 1;                 // number of hypotheses per sentence; 1 is greedy decoding
  int best = 1;                 // number of translations to return per sentence; at most `beam`
  double length_penalty = 0.6;  // alpha of Wu et al. (2016): score = log P / ((5 + n) / 6)^alpha, n counting "<eos>"
  int max_words = 0;            // most words of a translation, without "<eos>"; 0 means 2 n + 10 for n source words
};

struct Translation {
  std::vector<std::string> words;  // without "<eos>"
  double log_probability = 0;      // natural logarithm, for the words and "<eos>"
  double score = 0;                // log_probability with length penalty; the highest score is the best
};

/// Translates with an encoder-decoder. The model must have translation_schema(), a vocabulary with "<eos>", and a
/// vertex function "decoder" that pushes "logits" (one per word). Not thread-safe.
///
/// The decoder reads the words that it has produced, so its graph grows while it is evaluated. The children of a
/// decoder vertex (the previous decoder vertex, and any vertices of the source) are as in training. Sources are encoded
/// together. Then every step evaluates, as one minibatch, one vertex for each live (unfinished) hypothesis of all
/// sentences. Each thread translates a share of the sentences; a single sentence uses all threads, and a GPU translates
/// all sentences together. At the maximum length only "<eos>" may follow. Ties go to the hypothesis that was better
/// before, then to the word with the smaller id. Cost: linear in the words of the sources, and in words produced times
/// beam; the output layer dominates.
class Translator {
 public:
  /// @throws UserError naming what the model lacks, or for an option that Session refuses.
  explicit Translator(const TrainedModel& model, const SessionOptions& options = {});
  ~Translator();

  /// The best translations of each sentence, best first. They do not depend on the other sentences, bit for bit. Spaces
  /// separate words, and unknown words become "<unk>". A sentence without words has a translation without words.
  /// @throws UserError for an option out of range, probabilities that are not finite, or a step that needs more memory
  /// than its part of SessionOptions::memory_limit. The part is 1/2 with one thread or on a GPU, and 1 / (2 T + 2) with
  /// T > 1 threads. States that sentences keep from step to step do not count.
  std::vector<std::vector<Translation>> run(std::span<const std::string> sentences,
                                            const TranslateOptions& options = {});

  /// Like run() above, but continues after a sentence that fails: errors[i] is the reason why sentence i has no
  /// translation. `errors` must be empty or as long as `sentences`; a sentence whose error is set is skipped.
  std::vector<std::vector<Translation>> run(std::span<const std::string> sentences, const TranslateOptions& options,
                                            std::vector<std::string>& errors);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True if the model's samples are pairs of sentences, so that a Translator can use it.
bool translates(const TrainedModel& model);

/// Returns the BLEU score (class Bleu) of the best translations of `text.source`, with `text.target` as references.
/// Translates `batch_size` sentences at a time.
/// @throws UserError for unequal numbers of sources and targets, a batch size below 1, and as Translator::run() does.
double translation_bleu(Translator& translator, const PairedText& text, const TranslateOptions& options,
                        int batch_size = 64);

}  // namespace v0_1
}  // namespace cavs
