#include <algorithm>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/input_tags.h"
#include "data/lexicon.h"
#include "data/text.h"

namespace cavs::inline v0_1 {
namespace {

bool reads_characters(const SampleOptions& options) { return options.schema == lattice_schema(); }

/// Splits UTF-8 into its characters, without blanks.
std::vector<std::string_view> split_characters(std::string_view line) {
  std::vector<std::string_view> characters;
  for (const std::string_view word : split_words(line))
    for (std::size_t begin = 0, end = 1; begin < word.size(); begin = end++) {
      while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80) ++end;
      characters.push_back(word.substr(begin, end - begin));
    }
  return characters;
}

std::string first_words(const SampleOptions& options) {
  return reads_characters(options) ? "李明在北京" : "Anna lives in Rome";
}

}  // namespace

extern const InputForm kSentencesInput{
    .name = "sentences",
    .doc = "one sentence per line",
    .extent = InputForm::Extent::kLine,
    .fits = takes_sentences,
    .begins = [](std::string_view lines,
                 const SampleOptions& options) { return !lines.starts_with('{') && !begins_columns(lines, options); },
    .example = first_words,
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          std::string_view rest = chunk.text;
          const std::string_view line = take_line(rest, chunk.name, chunk.line);
          TaggedSentence sentence;
          sentence.tokens = reads_characters(options) ? split_characters(line) : split_words(line);
          sentence.line = chunk.line;
          add_sentence(std::move(sentence), chunk, options, samples);
        },
};

}  // namespace cavs::inline v0_1
