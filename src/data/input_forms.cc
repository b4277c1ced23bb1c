#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "data/input_form.h"
#include "data/input_tags.h"
#include "data/text.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {

extern const InputForm kTextsInput, kPairsInput, kDependenciesInput, kTreesInput, kExpressionsInput, kConlluInput,
    kSentencesInput, kConllInput, kJsonlInput;

std::span<const InputForm* const> all_input_forms() {
  static constexpr std::array kForms{
      &kTextsInput,  &kPairsInput,     &kDependenciesInput, &kTreesInput, &kExpressionsInput,
      &kConlluInput, &kSentencesInput, &kConllInput,        &kJsonlInput,
  };
  return kForms;
}

void add_sample(const InputGraph& graph, const InputChunk& chunk, Samples& samples, SampleText text, Tree tree) {
  samples.graphs.add(graph, fmt::format("{}:{}", chunk.name, chunk.line));
  samples.trees.push_back(std::move(tree));
  samples.texts.push_back(std::move(text));
}

std::string expected_input(const SampleOptions& options) {
  std::string expected, example;
  for (const InputForm* form : all_input_forms()) {
    if (!form->fits(options) || (lacks_lexicon(options) && form != &kJsonlInput)) continue;
    const std::string theirs = form->example(options);
    if (!form->begins(theirs.substr(0, theirs.find('\n')), options)) continue;
    expected += (expected.empty() ? "" : ", or ") + std::string(form->doc);
    if (example.empty()) example = theirs;
  }
  if (lacks_lexicon(options)) expected += fmt::format(", or {} if a lexicon is given", kSentencesInput.doc);
  return fmt::format("expected {}; for example '{}'", expected, example);
}

std::vector<std::string_view> input_form_names() {
  std::vector<std::string_view> names;
  for (const InputForm* form : all_input_forms()) names.push_back(form->name);
  return names;
}

const InputForm& find_input_form(const SampleOptions& options) {
  std::vector<std::string_view> known;
  for (const InputForm* form : all_input_forms()) {
    known.push_back(form->name);
    if (form->name != options.form) continue;
    user_check(form->fits(options), "the model does not accept {} ({}); {}", form->name, form->doc,
               expected_input(options));
    return *form;
  }
  user_error("unknown form of input '{}'; {}", options.form, suggest(options.form, known));
}

const InputForm& guess_input_form(std::string_view lines, const std::string& where, const SampleOptions& options) {
  for (const InputForm* form : all_input_forms())
    if (form->fits(options) && form->begins(lines, options)) return *form;
  user_error("{}: {}, found '{}'", where, expected_input(options), excerpt(lines.substr(0, lines.find('\n'))));
}

}  // namespace cavs::inline v0_1
