#include "decode/beam_search.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace cavs {
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
  const double most = live_.front().log_probability / length_penalty(options_.length_penalty, options_.most_words + 1);
  return most <= whole_[options_.best - 1].score;
}

std::int32_t BeamSearch::forced_word() const {
  return std::ssize(live_.front().words) >= options_.most_words ? options_.end : -1;
}

bool BeamSearch::advance(std::span<const ScoredWord> continuations) {
  const std::size_t each = continuations.size() / live_.size();
  std::vector<NextWord> all;
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
  const std::vector<Hypothesis> before = std::exchange(live_, {});
  for (const NextWord& next : all) {
    Hypothesis hypothesis{
        .words = before[next.parent].words, .log_probability = next.log_probability, .score = 0, .parent = next.parent};
    if (next.word == options_.end) {
      finish(std::move(hypothesis));
      continue;
    }
    hypothesis.words.push_back(next.word);
    live_.push_back(std::move(hypothesis));
  }
  return true;
}

void BeamSearch::finish(Hypothesis hypothesis) {
  hypothesis.score =
      hypothesis.log_probability / length_penalty(options_.length_penalty, std::ssize(hypothesis.words) + 1);
  const auto worse = std::ranges::find_if(whole_, [&](const Hypothesis& h) { return h.score < hypothesis.score; });
  whole_.insert(worse, std::move(hypothesis));
}

std::vector<Hypothesis> BeamSearch::best() const {
  return {whole_.begin(), whole_.begin() + std::min<std::ptrdiff_t>(options_.best, std::ssize(whole_))};
}

}  // namespace cavs
