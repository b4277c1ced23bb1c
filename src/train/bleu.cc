#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "cavs/evaluator.h"
#include "train/tokenize_13a.h"

namespace cavs::inline v0_1 {
namespace {

/// Counts the n-grams of a text whose tokens are separated by single spaces. An n-gram is represented by its part of
/// the text, so n-grams of different numbers of tokens always differ.
class NGrams {
 public:
  explicit NGrams(std::string text) : text_(std::move(text)) {
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find(' ', begin), text_.size());
      begins_.push_back(begin);
      ends_.push_back(end);
      begin = end + 1;
    }
  }
  std::int64_t tokens() const { return std::ssize(begins_); }

  std::unordered_map<std::string_view, std::int64_t> counts(int order) const {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (std::size_t last = static_cast<std::size_t>(order) - 1; last < begins_.size(); ++last) {
      const std::size_t begin = begins_[last + 1 - static_cast<std::size_t>(order)];
      ++counts[std::string_view(text_).substr(begin, ends_[last] - begin)];
    }
    return counts;
  }

 private:
  std::string text_;
  std::vector<std::size_t> begins_, ends_;
};

/// The length of the reference closest to `length`; the shorter of two equally close references.
std::int64_t closest_length(std::int64_t length, std::span<const NGrams> references) {
  std::int64_t closest = std::numeric_limits<std::int64_t>::max() / 2;
  for (const NGrams& reference : references) {
    const std::int64_t here = std::abs(reference.tokens() - length), best = std::abs(closest - length);
    if (here < best || (here == best && reference.tokens() < closest)) closest = reference.tokens();
  }
  return references.empty() ? 0 : closest;
}

}  // namespace

void Bleu::add(std::string_view hypothesis, std::span<const std::string_view> references) {
  const NGrams ours(tokenize_13a(hypothesis));
  std::vector<NGrams> theirs;
  for (const std::string_view reference : references) theirs.emplace_back(tokenize_13a(reference));
  hypothesis_length_ += ours.tokens();
  reference_length_ += closest_length(ours.tokens(), theirs);
  for (int order = 1; order <= kOrders; ++order) {
    std::unordered_map<std::string_view, std::int64_t> max;
    for (const NGrams& reference : theirs)
      for (const auto& [ngram, count] : reference.counts(order)) max[ngram] = std::max(max[ngram], count);
    for (const auto& [ngram, count] : ours.counts(order)) {
      total_[order - 1] += count;
      if (const auto found = max.find(ngram); found != max.end()) right_[order - 1] += std::min(count, found->second);
    }
  }
}

double Bleu::score() const {
  if (right_[0] == 0 || total_[kOrders - 1] == 0) return 0;
  double log_sum = 0, smoothing = 1;
  for (int i = 0; i < kOrders; ++i) {
    if (right_[i] == 0) smoothing *= 2;
    const double right = right_[i] == 0 ? 1 / smoothing : static_cast<double>(right_[i]);
    log_sum += std::log(100 * right / static_cast<double>(total_[i]));
  }
  const double shortness = static_cast<double>(reference_length_) / static_cast<double>(hypothesis_length_);
  const double penalty = shortness > 1 ? std::exp(1 - shortness) : 1;
  return penalty * std::exp(log_sum / kOrders);
}

}  // namespace cavs::inline v0_1
