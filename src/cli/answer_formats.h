#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/trained_model.h"

namespace cavs::cli {

/// An answer, and the sample that it is about.
struct AnswerPage {
  const TrainedModel& model;
  const Samples& samples;
  std::int32_t sample;
  const Answer& answer;
  bool spans;  // --spans
};

/// How answers are printed: a function, and one line in the list.
struct AnswerFormat {
  std::string_view name;
  std::string_view doc;
  /// @throws UserError where the format cannot show such an answer.
  void (*print)(const AnswerPage& page);
  bool of_text = false;  // also for prompts and translations
};

std::span<const AnswerFormat> all_answer_formats();
const AnswerFormat& find_answer_format(std::string_view name);

/// Texts between tabs on a line of standard output; tabs and line ends in them become spaces.
void print_columns(const std::vector<std::string>& columns);

}  // namespace cavs::cli
