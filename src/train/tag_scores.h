#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/entities.h"

namespace cavs::inline v0_1 {

/// Counts how well tags are found: token by token, and as entities as conlleval finds them (see entities_of); an entity
/// is found if begin, end and class are right. Tokens that are O do not count as found or missed.
class TagScores {
 public:
  /// `tags`: the names of the classes: O, B-X, I-X, E-X and S-X; any other name X is read as I-X.
  explicit TagScores(std::span<const std::string> tags);

  /// One sentence: class of each token, as it should be and as it was found. Cost: linear.
  void add(std::span<const std::int32_t> expected, std::span<const std::int32_t> found);

  /// All counts, to be added up over several of these.
  using Counted = std::array<std::int64_t, 6>;
  Counted counts() const;
  void add(const Counted& counts);

  /// Harmonic mean of precision and recall; 0 where nothing is right.
  double token_f1() const { return tokens_.f1(); }
  double entity_f1() const { return entities_.f1(); }

 private:
  struct Counts {
    std::int64_t expected = 0, found = 0, right = 0;
    double f1() const {
      return right == 0 ? 0 : 2 * static_cast<double>(right) / static_cast<double>(expected + found);
    }
  };
  std::vector<Entity<std::int32_t>> find_entities(std::span<const std::int32_t> classes) const;

  std::vector<Tag<std::int32_t>> tags_;
  Counts tokens_, entities_;
};

}  // namespace cavs::inline v0_1
