#include <fmt/format.h>

#include "cavs/readers.h"
#include "data/input_form.h"
#include "data/input_tags.h"
#include "data/tag_scheme.h"

namespace cavs::inline v0_1 {
namespace {

TokenColumn first_column(const SampleOptions& options) {
  if (options.schema != lattice_schema()) return TokenColumn::kWord;
  return options.data_kind == "weibo" ? TokenColumn::kNumberedCharacter : TokenColumn::kCharacter;
}

std::string two_columns(const SampleOptions& options) {
  const bool characters = first_column(options) != TokenColumn::kWord;
  return fmt::format("{}\t{}", characters ? "李0" : "Anna",
                     options.class_names.empty() ? "O" : options.class_names.back());
}

}  // namespace

extern const InputForm kConllInput{
    .name = "conll",
    .doc = "a token, a tab and its tag on each line",
    .extent = InputForm::Extent::kParagraph,
    .fits = takes_sentences,
    .begins = begins_columns,
    .example = two_columns,
    .read =
        [](const InputChunk& chunk, const SampleOptions& options, Samples& samples) {
          const ConllOptions reading{.column = first_column(options),
                                     .token = static_cast<std::size_t>(options.token_column),
                                     .tag = static_cast<std::size_t>(options.tag_column),
                                     .any_tag = takes_any_tag(find_tag_scheme(options.tag_scheme)),
                                     .first_line = chunk.line,
                                     .for_prediction = true};
          for (TaggedSentence& sentence : parse_conll(chunk.text, chunk.name, reading))
            add_sentence(std::move(sentence), chunk, options, samples);
        },
};

}  // namespace cavs::inline v0_1
