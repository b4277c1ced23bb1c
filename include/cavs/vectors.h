#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cavs {

class Model;
class Parameters;
class Vocabulary;

/// Vectors of words that somebody else has trained.
struct WordVectors {
  std::int32_t width = 0;              // numbers a word
  std::vector<std::int32_t> ids = {};  // of the words that were found, in the order of the file; each once
  std::vector<float> values = {};      // [ids.size(), width]
  std::int64_t lower_cased = 0;        // of these, words that stand in the file in lower case only
};

/// Reads the vectors of the words of a vocabulary from a file, gzipped or not, of one of these forms:
///   GloVe       a word and its numbers a line
///   word2vec    the number of words and the width in the first line; then as above, or each number as a float of 4
///               bytes (what fastText writes as .vec is the former)
/// A word that the file does not have is looked up in lower case (of ASCII letters). Other words are not kept: memory
/// is that of the vocabulary's vectors. A word with spaces in it (as some of GloVe's have) is read over.
/// @throws UserError naming the file and line (in binary: the word) for a number that is none or not finite, a line of
/// another width, a word of the vocabulary that is there twice, a file that is cut off, a width above 65,536, or where
/// none of the vocabulary's words is found. A fastText model (.bin) is refused, with what to do.
/// Cost: linear in the file.
WordVectors load_vectors(const std::string& path, const Vocabulary& words);

/// Puts them into the rows of a table, those of the words' ids; all other rows stay as they are.
/// @throws UserError if there is no such table, it is of another width, or an id is no row of it.
void set_vectors(Parameters& parameters, const std::string& table, const WordVectors& vectors);

/// The tables that the model reads by the index port `port`, in the order of declaration.
std::vector<std::string> tables_read_by(const Model& model, const std::string& port);

}  // namespace cavs
