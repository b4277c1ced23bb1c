#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cavs/readers.h"

namespace cavs::inline v0_1 {

/// A piece of input that holds whole samples, and where it stands.
struct InputChunk {
  std::string_view text;
  const std::string& name;
  std::int64_t line = 1;  // of its first line, from 1
};

/// A form in which samples for prediction may be written: one file input_*.cc, and one line in the list.
struct InputForm {
  /// What belongs to a sample that begins with a line.
  enum class Extent : std::uint8_t { kLine, kParagraph, kRoundBrackets, kSquareBrackets };

  std::string_view name;  // as SampleOptions::form has it
  std::string_view doc;   // behind "expected"
  Extent extent;
  bool (*fits)(const SampleOptions& options);  // whether such a model can take it
  /// Whether a sample that begins so is in this form. For models of sentences all lines that may be one sample.
  bool (*begins)(std::string_view lines, const SampleOptions& options);
  std::string (*example)(const SampleOptions& options);  // a sample that such a model takes
  /// Appends the samples of a chunk. @throws UserError that starts with "name:line".
  void (*read)(const InputChunk& chunk, const SampleOptions& options, Samples& samples);
};

/// Appends a sample, of a chunk that begins in its line.
/// @param tree  from brackets, with labels   @throws UserError if the graph is against the limits
void add_sample(const InputGraph& graph, const InputChunk& chunk, Samples& samples, SampleText text = {},
                Tree tree = {});

/// In the order in which a sample is tried.
std::span<const InputForm* const> all_input_forms();

/// The form that SampleOptions::form names. @throws UserError with a suggestion, or where the model cannot take it.
const InputForm& find_input_form(const SampleOptions& options);
/// "expected" and what the model takes, with an example that shows it.
std::string expected_input(const SampleOptions& options);
/// The form of a sample that begins with these lines. @throws UserError that shows an example of what the model takes.
const InputForm& guess_input_form(std::string_view lines, const std::string& where, const SampleOptions& options);

}  // namespace cavs::inline v0_1
