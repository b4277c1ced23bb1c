#pragma once

#include <string>

#include "cavs/data.h"
#include "cavs/model.h"
#include "cavs/vocabulary.h"

namespace cavs::cli {

/// Value that is recorded for a training without --vectors.
inline constexpr const char* kNoVectors = "none";
/// Returns the value that is recorded for a training with --vectors.
std::string vectors_hash(const WordVectors& vectors);

/// Returns text for people: "812 of 901 words found (30 of them in lower case), 300 numbers each".
std::string describe(const WordVectors& vectors, const Vocabulary& words);

/// Copies the vectors into the tables of words with as many columns. @throws UserError if the model has no such table.
void use_vectors(const WordVectors& vectors, const Model& model, Parameters& parameters);

}  // namespace cavs::cli
