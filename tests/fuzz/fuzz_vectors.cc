#include <cmath>
#include <set>

#include "cavs/vocabulary.h"
#include "fuzz/fuzz_check.h"

CAVS_FUZZ_TARGET(vectors) {
  static const Vocabulary words({"<unk>", "a", "A", "the", "The", "\xC3\xA9"});
  const WordVectors vectors = load_vectors(memory_file(bytes), words);
  expect(vectors.width > 0 && vectors.values.size() == vectors.ids.size() * static_cast<std::size_t>(vectors.width),
         "each word has a vector");
  expect(std::set(vectors.ids.begin(), vectors.ids.end()).size() == vectors.ids.size(), "each word is there once");
  for (const std::int32_t id : vectors.ids) expect(id >= 0 && id < words.size(), "words are of the vocabulary");
  for (const float value : vectors.values) expect(std::isfinite(value), "numbers are finite");
}
