#include "decode/beam_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cavs::inline v0_1 {
namespace {

struct NextWord {
  double log_probability = 0;
  std::int32_t parent = 0, word = 0;
};

bool is_before(const NextWord& a, const NextWord& b) {
  return std::tuple(-a.log_probability, a.parent, a.word) < std::tuple(-b.log_probability, b.parent, b.word);
}

}  // namespace

double length_penalty(double alpha, std::int64_t words) {
  return std::pow((5.0 + static_cast<double>(words)) / 6.0, alpha);
}

bool BeamSearch::done() const {
  if (live_.empty()) return true;
  if (std::ssize(whole_) < options_.best) return false;
  const double max =
      live_.front().log_probability / length_penalty(options_.length_penalty, std::int64_t{options_.max_words} + 1);
  return max <= whole_[options_.best - 1].score;
}

std::int32_t BeamSearch::forced_word() const { return length_ >= options_.max_words ? options_.end : -1; }

std::vector<std::int32_t> BeamSearch::words(const LiveHypothesis& hypothesis) const {
  std::vector<std::int32_t> words;
  for (std::int32_t at = hypothesis.trace; at >= 0; at = trace_[at].before) words.push_back(trace_[at].word);
  std::ranges::reverse(words);
  return words;
}

bool BeamSearch::advance(std::span<const ScoredWord> continuations) {
  const std::size_t each = continuations.size() / live_.size();
  std::vector<NextWord> all;
  all.reserve(continuations.size());
  for (std::size_t k = 0; k < continuations.size(); ++k) {
    if (continuations[k].word < 0) continue;
    const auto parent = static_cast<std::int32_t>(k / each);
    all.push_back({live_[parent].log_probability + static_cast<double>(continuations[k].log_probability), parent,
                   continuations[k].word});
  }
  if (all.empty()) return false;
  const auto kept = std::min(std::ssize(all), static_cast<std::ptrdiff_t>(width()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end(), is_before);
  all.resize(static_cast<std::size_t>(kept));
  live_.swap(before_);
  live_.clear();
  for (const NextWord& next : all) {
    const LiveHypothesis& before = before_[next.parent];
    if (next.word == options_.end) {
      finish(before, next.log_probability);
      continue;
    }
    live_.push_back({next.log_probability, next.word, next.parent, static_cast<std::int32_t>(trace_.size())});
    trace_.push_back({before.trace, next.word});
  }
  ++length_;
  return true;
}

void BeamSearch::finish(const LiveHypothesis& before, double log_probability) {
  const double score = log_probability / length_penalty(options_.length_penalty, length_ + 1);
  const auto worse = std::ranges::find_if(whole_, [&](const Hypothesis& h) { return h.score < score; });
  whole_.insert(worse, {words(before), log_probability, score});
}

std::vector<Hypothesis> BeamSearch::best() const {
  return {whole_.begin(), whole_.begin() + std::min<std::ptrdiff_t>(options_.best, std::ssize(whole_))};
}

}  // namespace cavs::inline v0_1
