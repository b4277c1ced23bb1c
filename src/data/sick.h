#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/readers.h"
#include "data/dependency_graph.h"

namespace cavs::inline v0_1 {

/// The texts of a part of SICK, in the form of the Tree-LSTM of Tai et al. Line n of each text belongs to pair n.
struct SickTexts {
  struct File {
    std::string name, text;
  };
  File a_tokens, a_parents;  // a line has words; a line has the head of each word, from 1; 0 at the root
  File b_tokens, b_parents;
  File scores;  // a line has a number from 1 to 5, or a text that is_no_label()
};

/// A parsed pair of sentences. Holds views of the texts.
struct SickPair {
  struct Sentence {
    std::vector<std::string_view> words;
    std::vector<std::int32_t> heads;  // [words]: number of each head, from 0; -1 at the root
    std::int32_t root = 0;
  };
  Sentence a, b;
  std::optional<float> score;
};

/// Parses the words of a sentence, and one head per word (from 1; 0 at the root). @throws UserError that starts with
/// "name" and the line of the heads.
SickPair::Sentence parse_sick_sentence(const TextLine& tokens, const TextLine& parents, const std::string& name);
WordTree to_word_tree(const SickPair::Sentence& sentence, const Vocabulary& words);
/// Parses a number 1 to 5; nullopt if there is none. @throws UserError that starts with "name:line".
std::optional<float> parse_sick_score(const TextLine& line, const std::string& name);

/// Parses all pairs. @throws UserError that starts with "name:line" if the texts differ in their number of lines, a
/// line does not have one head per word, a tree does not have one root, or a score is invalid. Cost: linear.
std::vector<SickPair> parse_sick(const SickTexts& texts);

}  // namespace cavs::inline v0_1
