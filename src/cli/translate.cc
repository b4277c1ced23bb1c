#include "cli/translate.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "cli/answer_formats.h"
#include "cli/input_lines.h"
#include "cli/option_group.h"
#include "cli/report.h"
#include "cli/validators.h"
#include "cli/words_seen.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char* kTranslation = "Translation";

Json to_json(const Translation& translation) {
  return {{"translation", fmt::format("{}", fmt::join(translation.words, " "))},
          {"words", translation.words},
          {"score", translation.score},
          {"log_probability", translation.log_probability}};
}

Json to_json(const std::string& source, const std::vector<Translation>& translations, bool alternatives) {
  Json json{{"source", source}};
  json.update(to_json(translations.front()));
  if (!alternatives) return json;
  json["alternatives"] = Json::array();
  for (std::size_t k = 1; k < translations.size(); ++k) json["alternatives"].push_back(to_json(translations[k]));
  return json;
}

}  // namespace

TranslateOptions TranslateArguments::options() const {
  TranslateOptions options;
  options.best = best.value_or(options.best);
  options.beam = beam.value_or(options.best);
  options.length_penalty = length_penalty.value_or(options.length_penalty);
  options.max_words = max_words.value_or(options.max_words);
  user_check(options.best <= options.beam, "--n-best {} with --beam {}; expected --n-best of at most --beam",
             options.best, options.beam);
  return options;
}

void add_beam(CLI::App& app, TranslateArguments& arguments) {
  const OptionGroup translation(app, kTranslation);
  translation.add("--beam", arguments.beam, "N", integer(1, 10'000),
                  "Number of hypotheses in the beam search; 1 is greedy decoding (default: 1)");
  translation.add("--length-penalty", arguments.length_penalty, "A", number(0),
                  "A in the score log P / ((5 + n) / 6)^A of a translation with n words, including <eos>; larger "
                  "values favour long translations (default: 0.6)");
  translation.add("--max-length", arguments.max_words, "N", integer(1, 1'000'000),
                  "Maximum number of words of a translation (default: 2 n + 10 for n source words)");
}

void add_best(CLI::App& app, TranslateArguments& arguments) {
  OptionGroup(app, kTranslation)
      .add("--n-best", arguments.best, "M", integer(1, 10'000),
           "Print the M best translations (default: 1); M is at most --beam");
}

void check_translates(const TrainedModel& model, const std::string& checkpoint, std::string_view options) {
  user_check(translates(model), "{} are for models that translate; {} was not trained on pairs of sentences", options,
             checkpoint);
}

namespace {

/// Prints a source and its translations. @param target  the reference translation, or null
void print_translation(const std::string& source, const std::vector<Translation>& translations,
                       const std::string* target, const TranslateOptions& options, const TextOutput& output) {
  if (output.columns) {
    std::vector<std::string> columns{source};
    for (const Translation& each : translations) columns.push_back(fmt::format("{}", fmt::join(each.words, " ")));
    return print_columns(columns);
  }
  Json json = to_json(source, translations, options.best > 1);
  if (target != nullptr) json["reference"] = *target;
  print_json(json);
}

}  // namespace

void translate_input(Translator& translator, const TranslateOptions& options, const TextOutput& output) {
  std::int64_t failed = 0;
  std::string first;
  std::vector<std::string> errors;
  WordsSeen words;
  for (InputLines input;;) {
    const std::vector<std::string> lines = input.next(output.batch_size, errors);
    if (lines.empty()) break;
    for (const std::string& line : lines) words.count(line, *output.words);
    const auto translations = translator.run(lines, options, errors);
    for (std::size_t k = 0; k < lines.size(); ++k)
      if (errors[k].empty()) {
        print_translation(lines[k], translations[k], nullptr, options, output);
      } else {
        if (failed++ == 0) first = errors[k];
        output.columns ? print_columns({lines[k], ""}) : print_json({{"source", lines[k]}, {"error", errors[k]}});
      }
    std::fflush(stdout);
  }
  words.report();
  user_check(failed == 0, "{} of the sentences could not be translated; the first error: {}", failed, first);
}

void translate_pairs(Translator& translator, const PairedText& text, const TranslateOptions& options,
                     const TextOutput& output) {
  const std::size_t pairs = text.source.size(), batch = static_cast<std::size_t>(output.batch_size);
  for (std::size_t first = 0; first < pairs; first += batch) {
    const std::size_t count = std::min(batch, pairs - first);
    const auto translations = translator.run(std::span(text.source).subspan(first, count), options);
    output.progress->clear();
    for (std::size_t k = 0; k < count; ++k)
      print_translation(text.source[first + k], translations[k], &text.target[first + k], options, output);
    std::fflush(stdout);
    output.progress->add(static_cast<std::int64_t>(count),
                         static_cast<double>(first + count) / static_cast<double>(pairs));
  }
}

PairedText pairs_of(Dataset data, const std::string& spec, const std::string& part, std::int64_t limit) {
  const bool dev = part == "dev" && !data.dev_text.source.empty();
  PairedText text = std::move(dev ? data.dev_text : data.train_text);
  user_check(!text.source.empty(),
             "data '{}' are not pairs of sentences; expected parallel:SOURCE+TARGET or translations", spec);
  const auto kept =
      static_cast<std::size_t>(limit > 0 ? std::min(limit, std::ssize(text.source)) : std::ssize(text.source));
  text.source.resize(kept);
  text.target.resize(kept);
  return text;
}

}  // namespace cavs::cli
