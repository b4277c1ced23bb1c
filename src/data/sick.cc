#include "data/sick.h"

#include <algorithm>
#include <array>

#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/columns.h"
#include "data/text.h"
#include "data/word_counts.h"
#include "support/check.h"
#include "support/parse_number.h"

namespace cavs::inline v0_1 {
namespace {

constexpr float kMinScore = 1, kMaxScore = 5;

/// Returns the lines of a file. @throws UserError if a line is blank
std::vector<TextLine> lines_of(const SickTexts::File& file) {
  std::vector<TextLine> lines = parse_text(file.text, file.name);
  for (std::size_t i = 0; i < lines.size(); ++i)
    user_check(lines[i].number == static_cast<std::int64_t>(i) + 1,
               "{}:{}: the line is blank; expected line n of every file to belong to pair n", file.name, i + 1);
  return lines;
}

template <typename Number>
Number number_between(std::string_view text, Number min, Number max, const std::string& name, std::int64_t line) {
  const auto value = parse_number<Number>(text);
  if (!value || !(*value >= min && *value <= max))
    user_error("{}:{}: expected a number {} to {}, found '{}'", name, line, min, max, excerpt(text));
  return *value;
}

}  // namespace

SickPair::Sentence parse_sick_sentence(const TextLine& tokens, const TextLine& parents, const std::string& name) {
  SickPair::Sentence sentence{.words = split_words(tokens.text), .heads = {}};
  const auto words = static_cast<std::int32_t>(sentence.words.size());
  for (const std::string_view head : split_words(parents.text))
    sentence.heads.push_back(number_between<std::int32_t>(head, 0, words, name, parents.number) - 1);
  user_check(std::ssize(sentence.heads) == words,
             "{}:{}: {} heads for a sentence of {} words; expected one head per word", name, parents.number,
             sentence.heads.size(), words);
  sentence.root = find_root(sentence.heads, name, parents.number);
  return sentence;
}

WordTree to_word_tree(const SickPair::Sentence& sentence, const Vocabulary& words) {
  return {.heads = sentence.heads, .words = word_ids(sentence.words, words), .root = sentence.root};
}

std::optional<float> parse_sick_score(const TextLine& line, const std::string& name) {
  const auto score = split_words(line.text);
  user_check(score.size() == 1, "{}:{}: expected one number, found '{}'", name, line.number, excerpt(line.text));
  if (is_no_label(score.front())) return std::nullopt;
  return number_between(score.front(), kMinScore, kMaxScore, name, line.number);
}

std::vector<SickPair> parse_sick(const SickTexts& texts) {
  const std::array files{&texts.a_tokens, &texts.a_parents, &texts.b_tokens, &texts.b_parents, &texts.scores};
  std::array<std::vector<TextLine>, files.size()> lines;
  for (std::size_t f = 0; f < files.size(); ++f) {
    lines[f] = lines_of(*files[f]);
    user_check(lines[f].size() == lines[0].size(),
               "{} has {} lines, but {} has {}; expected line n of both to belong to pair n", files[f]->name,
               lines[f].size(), files[0]->name, lines[0].size());
  }
  std::vector<SickPair> pairs;
  for (std::size_t i = 0; i < lines[0].size(); ++i) {
    pairs.push_back({.a = parse_sick_sentence(lines[0][i], lines[1][i], texts.a_parents.name),
                     .b = parse_sick_sentence(lines[2][i], lines[3][i], texts.b_parents.name),
                     .score = parse_sick_score(lines[4][i], texts.scores.name)});
  }
  return pairs;
}

}  // namespace cavs::inline v0_1
