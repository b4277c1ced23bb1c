#include "cli/word_vectors.h"

#include <fmt/format.h>

#include <span>

#include "support/check.h"
#include "support/hash.h"

namespace cavs::cli {

std::string vectors_hash(const WordVectors& vectors) {
  ContentHash hash;
  hash.update(std::as_bytes(std::span(vectors.ids)));
  hash.update(std::as_bytes(std::span(vectors.values)));
  return fmt::format("{:016x}", hash.digest());
}

std::string describe(const WordVectors& vectors, const Vocabulary& words) {
  return fmt::format("{} of {} words found ({} of them in lower case), {} numbers each", vectors.ids.size(),
                     words.size(), vectors.lower_cased, vectors.width);
}

void use_vectors(const WordVectors& vectors, const Model& model, Parameters& parameters) {
  bool used = false;
  for (const std::string& table : tables_read_by(model, "word")) {
    if (parameters.info(parameters.find(table)).shape.dims[1] != vectors.width) continue;
    set_vectors(parameters, table, vectors);
    used = true;
  }
  user_check(used, "--vectors: the model has no table of words with {} columns; leave --vectors out", vectors.width);
}

}  // namespace cavs::cli
