#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cavs/decode.h"
#include "cli/sample_progress.h"

namespace cavs::cli {

/// How sentences are answered.
struct TextOutput {
  std::int64_t batch_size = 1;         // so many at once
  bool columns = false;                // as tsv, else as JSON
  SampleProgress* progress = nullptr;  // of a data set
  const Vocabulary* words = nullptr;   // of the model
};

/// Options of translating that were given.
struct TranslateArguments {
  std::optional<int> beam, best, max_words;
  std::optional<double> length_penalty;

  bool given() const { return beam || best || max_words || length_penalty; }
  TranslateOptions options() const;
};

/// --beam, --length-penalty and --max-length.
void add_beam(CLI::App& app, TranslateArguments& arguments);
/// --n-best.
void add_best(CLI::App& app, TranslateArguments& arguments);

/// @throws UserError naming the checkpoint, if its model does not translate and so has no use for these options.
void check_translates(const TrainedModel& model, const std::string& checkpoint, std::string_view options);

/// Translates the lines on standard input, and prints each with its translations.
void translate_input(Translator& translator, const TranslateOptions& options, const TextOutput& output);
/// The same of the sources of pairs, with the target as "reference"; shows progress.
void translate_pairs(Translator& translator, const PairedText& text, const TranslateOptions& options,
                     const TextOutput& output);

/// Of the part ("dev", where the data have one, or "train"). @throws UserError if the data are no pairs of sentences.
PairedText pairs_of(Dataset data, const std::string& spec, const std::string& part, std::int64_t limit);

}  // namespace cavs::cli
