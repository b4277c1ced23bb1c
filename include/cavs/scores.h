#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace cavs {

/// BLEU of a corpus (Papineni et al., ACL 2002) as sacrebleu counts it with its default settings (Post, WMT 2018;
/// signature case:mixed|eff:no|tok:13a|smooth:exp): clipped n-grams of 1 to 4 tokens, exponential smoothing of orders
/// without a match, brevity penalty against the closest reference. Takes text as it is written, not tokens.
class Bleu {
 public:
  static constexpr int kOrders = 4;

  /// Adds a translation and its references, in UTF-8. Cost: linear in the text.
  void add(std::string_view hypothesis, std::span<const std::string_view> references);
  /// The score of all sentences so far, 0 to 100; 0 if no word is right.
  double score() const;

 private:
  std::array<std::int64_t, kOrders> right_{}, total_{};
  std::int64_t hypothesis_length_ = 0, reference_length_ = 0;
};

/// Pearson's correlation of the pairs (x[i], y[i]); 0 if x or y does not vary, NaN if a number is NaN.
/// @throws UserError unless both have the same length.
double pearson(std::span<const double> x, std::span<const double> y);

/// Spearman's correlation: Pearson's correlation of the ranks, where equal values share their mean rank. Cost: two
/// sorts.
/// @throws UserError unless both have the same length.
double spearman(std::span<const double> x, std::span<const double> y);

}  // namespace cavs
