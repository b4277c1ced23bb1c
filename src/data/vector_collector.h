#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cavs/data.h"
#include "cavs/vectors.h"

namespace cavs {

/// Keeps the vectors of the words of a vocabulary, of all that a file has.
class VectorCollector {
 public:
  explicit VectorCollector(const Vocabulary& words);

  /// The ids that a word of the file is for: its own, and those of words that it is the lower case of. Valid until the
  /// next call. @param where  of the word, for messages
  /// @throws UserError if it is there twice.
  std::span<const std::int32_t> ids_for(std::string_view word, const std::string& where);
  /// The numbers of the word that ids_for() was last asked for.
  void add(std::span<const float> numbers);

  WordVectors finish(std::int32_t width) &&;

 private:
  enum class Found : char { kNo, kLowerCased, kExact };

  const Vocabulary& words_;
  std::unordered_map<std::string, std::vector<std::int32_t>> lower_;  // ids of words with capitals
  std::vector<Found> found_;                                          // by id
  std::unordered_map<std::int32_t, std::string> exact_;               // where words of the vocabulary stand
  std::unordered_map<std::int32_t, std::size_t> row_;                 // of vectors_.values, by id
  std::vector<std::int32_t> ids_;
  bool has_exact_ = false;  // ids_.front() is the word itself
  WordVectors vectors_;
};

}  // namespace cavs
