#pragma once

#include <string>

#include "cavs/data.h"
#include "cavs/model.h"
#include "cavs/vocabulary.h"

namespace cavs::cli {

/// Value of --vectors that a checkpoint records if the option is not given.
inline constexpr const char* kNoVectors = "none";
/// Returns the value of --vectors that a checkpoint records: a hash of the vectors.
std::string vectors_hash(const WordVectors& vectors);

/// Returns text for people: "812 of 901 words found (30 of them in lower case), 300 numbers each".
std::string describe(const WordVectors& vectors, const Vocabulary& words);

/// Copies the vectors into the tables of words with as many columns. @throws UserError if the model has no such table.
void use_vectors(const WordVectors& vectors, const Model& model, Parameters& parameters);

}  // namespace cavs::cli
