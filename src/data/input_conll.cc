#include <fmt/format.h>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/input_tags.h"

namespace cavs::inline v0_1 {
namespace {

TokenColumn first_column(const SampleOptions& options) {
  return options.schema == lattice_schema() ? TokenColumn::kCharacter : TokenColumn::kWord;
}

std::string two_columns(const SampleOptions& options) {
  const bool characters = first_column(options) == TokenColumn::kCharacter;
  return fmt::format("{} {}", characters ? "李0" : "Anna", options.tags.empty() ? "O" : options.tags.back());
}

}  // namespace

extern const InputForm kConllInput{
    .name = "conll",
    .doc = "a token and its tag a line",
    .extent = InputForm::Extent::kParagraph,
    .fits = takes_sentences,
    .begins = begins_columns,
    .example = two_columns,
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          const ConllOptions reading{.column = first_column(options), .first_line = chunk.line, .for_prediction = true};
          for (TaggedSentence& sentence : parse_conll(chunk.text, chunk.name, reading))
            add_sentence(std::move(sentence), chunk, options, samples);
        },
};

}  // namespace cavs::inline v0_1
