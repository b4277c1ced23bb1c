#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cavs/readers.h"

namespace cavs::inline v0_1 {

/// A part of the input that consists of whole samples, and its position.
struct InputChunk {
  std::string_view text;
  const std::string& name;
  std::int64_t line = 1;  // number of the first line of `text`, from 1
};

/// A text form of samples for prediction. A new form is a file input_*.cc and one line in the list.
struct InputForm {
  /// The place where a sample ends.
  enum class Extent : std::uint8_t { kLine, kParagraph, kRoundBrackets, kSquareBrackets };

  std::string_view name;  // value of SampleOptions::form
  std::string_view doc;   // text for messages, after the word "expected"
  Extent extent;
  /// True if the model accepts this form.
  bool (*fits)(const SampleOptions& options);
  /// True if a sample that begins with `lines` has this form. For models of sentences, `lines` is the whole sample.
  bool (*begins)(std::string_view lines, const SampleOptions& options);
  std::string (*example)(const SampleOptions& options);  // returns the text of a sample that the model accepts
  /// Appends the samples of a chunk. @throws UserError that starts with "name:line".
  void (*read)(const InputChunk& chunk, const SampleOptions& options, Samples& samples);
};

/// Appends a sample that begins on the first line of its chunk.
/// @param tree  the parsed tree, with labels   @throws UserError if the graph exceeds the limits
void add_sample(const InputGraph& graph, const InputChunk& chunk, Samples& samples, SampleText text = {},
                Tree tree = {});

/// Returns all forms, in the order in which they are tried.
std::span<const InputForm* const> all_input_forms();

/// Returns the form SampleOptions::form. @throws UserError if it is unknown, or the model does not accept it.
const InputForm& find_input_form(const SampleOptions& options);
/// Returns the text "expected ..." with the forms that the model accepts and an example.
std::string expected_input(const SampleOptions& options);
/// Returns the form of a sample that begins with these lines. @throws UserError with an example that the model accepts.
const InputForm& guess_input_form(std::string_view lines, const std::string& where, const SampleOptions& options);

}  // namespace cavs::inline v0_1
