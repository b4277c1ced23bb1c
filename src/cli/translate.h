#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "cavs/decode.h"
#include "cli/sample_progress.h"

namespace cavs::cli {

/// How translations are computed and printed.
struct TextOutput {
  std::int64_t batch_size = 1;         // number of sentences per batch
  bool columns = false;                // true for TSV, false for JSON
  SampleProgress* progress = nullptr;  // progress bar of a data set
  const Vocabulary* words = nullptr;   // vocabulary of the model
};

/// Options of translation that the user gave.
struct TranslateArguments {
  std::optional<int> beam, best, max_words;
  std::optional<double> length_penalty;

  bool given() const { return beam || best || max_words || length_penalty; }
  TranslateOptions options() const;
};

/// Adds --beam, --length-penalty and --max-length.
void add_beam(CLI::App& app, TranslateArguments& arguments);
/// Adds --n-best.
void add_best(CLI::App& app, TranslateArguments& arguments);

/// @throws UserError that names the checkpoint and the options, if the model does not translate.
void check_translates(const TrainedModel& model, const std::string& checkpoint, std::string_view options);

/// Translates the lines of standard input, and prints each with its translations.
void translate_input(Translator& translator, const TranslateOptions& options, const TextOutput& output);
/// Like translate_input(), for the sources of pairs. Also prints the target, as "reference", and shows progress.
void translate_pairs(Translator& translator, const PairedText& text, const TranslateOptions& options,
                     const TextOutput& output);

/// Returns the pairs of the part "dev" (if the data have it) or "train". @throws UserError if the data are not pairs.
PairedText pairs_of(Dataset data, const std::string& spec, const std::string& part, std::int64_t limit);

}  // namespace cavs::cli
