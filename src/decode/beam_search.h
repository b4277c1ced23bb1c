#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tensor/scored_word.h"

namespace cavs::inline v0_1 {

/// A whole translation.
struct Hypothesis {
  std::vector<std::int32_t> words;  // without the end
  double log_probability = 0;       // of the words and of the end
  double score = 0;                 // log_probability / length_penalty
};

/// A translation on its way.
struct LiveHypothesis {
  double log_probability = 0;
  std::int32_t last = -1;   // its last word; -1: it has none
  std::int32_t parent = 0;  // which of the live ones before the last step it continues
  std::int32_t trace = -1;  // where its words are found
};

struct BeamOptions {
  std::int32_t beam = 1;        // hypotheses that are followed at once, at least 1
  std::int32_t best = 1;        // whole ones that are wanted, 1 to beam
  double length_penalty = 0.6;  // alpha, at least 0
  std::int32_t end = 0;         // the word that ends a hypothesis
  std::int32_t max_words = 0;   // of a hypothesis; then only the end may follow
};

/// ((5 + n) / 6)^alpha of n words, the end among them (Wu et al., 2016, section 7, without their coverage penalty).
double length_penalty(double alpha, std::int64_t words);

/// Searches the most probable output of one sample from left to right (Sutskever et al., NIPS 2014, section 3.2).
///
/// A step continues every live hypothesis by every word and keeps the most probable ones; one that takes the end leaves
/// the beam, which is then one narrower. Of equal ones comes first what continues an earlier hypothesis, then the
/// smaller word. The search is over when nothing is live, or when what is live can no longer be among the best: no
/// score exceeds log_probability / length_penalty(max_words + 1). With beam 1 that is greedy decoding.
class BeamSearch {
 public:
  explicit BeamSearch(const BeamOptions& options) : options_(options), live_(1) {}

  bool done() const;
  /// Most probable first; all of one length.
  std::span<const LiveHypothesis> live() const { return live_; }
  /// How many words each of these has.
  std::int32_t length() const { return length_; }
  std::vector<std::int32_t> words(const LiveHypothesis& hypothesis) const;
  /// Of each live hypothesis so many continuations may matter.
  std::int32_t width() const { return options_.beam - static_cast<std::int32_t>(whole_.size()); }
  /// The only word that may follow, -1 for any.
  std::int32_t forced_word() const;

  /// `continuations`: of each live hypothesis an equal number, most probable first.
  /// @return false, and nothing has changed, if there is none at all.
  bool advance(std::span<const ScoredWord> continuations);
  /// When done: whole hypotheses, best score first, of equal ones what was found first.
  std::vector<Hypothesis> best() const;

 private:
  /// A word that was kept, and the one before it: hypotheses share what they have in common.
  struct Trace {
    std::int32_t before, word;
  };

  void finish(const LiveHypothesis& before, double log_probability);

  BeamOptions options_;
  std::vector<LiveHypothesis> live_, before_;  // before_: of the last step
  std::vector<Trace> trace_;
  std::vector<Hypothesis> whole_;  // best score first
  std::int32_t length_ = 0;
};

}  // namespace cavs::inline v0_1
