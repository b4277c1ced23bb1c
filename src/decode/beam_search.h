#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/scored_word.h"

namespace cavs::inline v0_1 {

/// A finished translation.
struct Hypothesis {
  std::vector<std::int32_t> words;  // ids of the words, without the end word
  double log_probability = 0;       // natural logarithm, for the words and the end word
  double score = 0;                 // log_probability / length_penalty()
};

/// An unfinished translation.
struct LiveHypothesis {
  double log_probability = 0;
  std::int32_t last = -1;   // id of the last word; -1 before the first word
  std::int32_t parent = 0;  // position, in live() of the previous step, of the hypothesis that this one continues
  std::int32_t trace = -1;  // position of the last word in BeamSearch::trace_; -1 before the first word
};

struct BeamOptions {
  std::int32_t beam = 1;        // number of hypotheses in the beam, at least 1
  std::int32_t best = 1;        // number of finished hypotheses to find, 1 to beam
  double length_penalty = 0.6;  // alpha of length_penalty(), at least 0
  std::int32_t end = 0;         // id of the word that ends a hypothesis
  std::int32_t max_words = 0;   // number of words after which only the end word may follow
};

/// Returns ((5 + n) / 6)^alpha for n words with the end word (Wu et al., 2016, section 7, without coverage penalty).
double length_penalty(double alpha, std::int64_t words);

/// Searches for the most probable output of one sample from left to right (Sutskever et al., NIPS 2014, section 3.2).
///
/// A step continues every live hypothesis by every word and keeps the most probable continuations. A hypothesis that
/// reaches the end word leaves the beam, and the beam narrows by one. Ties go to the earlier hypothesis, then to the
/// smaller word. The search ends if no hypothesis is live, or if no live hypothesis can be among the best, because the
/// scores of its continuations cannot exceed log_probability / length_penalty(max_words + 1). A beam of 1 is greedy
/// decoding.
class BeamSearch {
 public:
  explicit BeamSearch(const BeamOptions& options) : options_(options), live_(1) {}

  bool done() const;  // true if the search has ended
  /// The live hypotheses, most probable first, all of equal length.
  std::span<const LiveHypothesis> live() const { return live_; }
  /// Number of words of each live hypothesis.
  std::int32_t length() const { return length_; }
  std::vector<std::int32_t> words(const LiveHypothesis& hypothesis) const;  // its words so far
  /// Number of continuations of each live hypothesis that advance() needs.
  std::int32_t width() const { return options_.beam - static_cast<std::int32_t>(whole_.size()); }
  /// The only word that may follow any live hypothesis; -1 if any word may.
  std::int32_t forced_word() const;

  /// Makes a step. @param continuations  [live hypotheses][at least width()]: next words, most probable first; word -1
  /// means none. @return false, without a change, if there are no continuations
  bool advance(std::span<const ScoredWord> continuations);
  /// The finished hypotheses of a search that is done, best score first; those of equal score in the order in which
  /// they were found.
  std::vector<Hypothesis> best() const;

 private:
  /// A word, and the position in trace_ of the word before it; -1 if none. Hypotheses share traces of common
  /// beginnings.
  struct Trace {
    std::int32_t before, word;
  };

  void finish(const LiveHypothesis& before, double log_probability);

  BeamOptions options_;
  std::vector<LiveHypothesis> live_, before_;  // live hypotheses now and before the last step, most probable first
  std::vector<Trace> trace_;                   // words of all hypotheses
  std::vector<Hypothesis> whole_;              // finished hypotheses, best score first
  std::int32_t length_ = 0;                    // words of each live hypothesis
};

}  // namespace cavs::inline v0_1
