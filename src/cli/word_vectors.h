#pragma once

#include <string>

#include "cavs/data.h"
#include "cavs/model.h"
#include "cavs/vocabulary.h"

namespace cavs::cli {

/// What is recorded of a training without --vectors.
inline constexpr const char* kNoVectors = "none";
/// And of one with them.
std::string vectors_hash(const WordVectors& vectors);

/// "812 of 901 words found (30 of them in lower case), 300 numbers each".
std::string describe(const WordVectors& vectors, const Vocabulary& words);

/// Puts them into the model's tables of words that are as wide. @throws UserError if there is none.
void use_vectors(const WordVectors& vectors, const Model& model, Parameters& parameters);

}  // namespace cavs::cli
