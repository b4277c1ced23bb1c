#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/entities.h"

namespace cavs::inline v0_1 {

/// Counts right tags of tokens, and right entities as in conlleval (see entities_of). An entity is right if its begin,
/// end and class are right. Tokens with tag O do not count as found or missed.
class TagScores {
 public:
  /// @param tags  Names of the classes: O, B-X, I-X, E-X and S-X; any other name X is read as I-X.
  explicit TagScores(std::span<const std::string> tags);

  /// Adds a sentence: the true and the predicted class of each token. Cost: linear.
  void add(std::span<const std::int32_t> expected, std::span<const std::int32_t> found);

  /// All counts as numbers. add() adds those of another object with the same tags.
  using Counted = std::array<std::int64_t, 6>;
  Counted counts() const;
  void add(const Counted& counts);

  /// Harmonic mean of precision and recall; 0 if nothing is right.
  double token_f1() const { return tokens_.f1(); }
  double entity_f1() const { return entities_.f1(); }

 private:
  struct Counts {
    std::int64_t expected = 0, found = 0, right = 0;  // true ones, predicted ones, those that are both
    double f1() const {
      return right == 0 ? 0 : 2 * static_cast<double>(right) / static_cast<double>(expected + found);
    }
  };
  std::vector<Entity<std::int32_t>> find_entities(std::span<const std::int32_t> classes) const;

  std::vector<Tag<std::int32_t>> tags_;  // [classes]: part (such as B) and number of the entity class
  Counts tokens_, entities_;
};

}  // namespace cavs::inline v0_1
