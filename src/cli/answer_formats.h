#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/trained_model.h"

namespace cavs::cli {

/// One answer to print, and its sample.
struct AnswerPage {
  const TrainedModel& model;
  const Samples& samples;
  std::int32_t sample;
  const Answer& answer;
  bool spans;  // true to print entities, too (--spans)
};

/// A format in which answers are printed. A new format is a function and one line in the list.
struct AnswerFormat {
  std::string_view name;
  std::string_view doc;
  /// @throws UserError if the format cannot show this answer.
  void (*print)(const AnswerPage& page);
  bool of_text = false;  // true if the format can also print continued prompts and translations
};

std::span<const AnswerFormat> all_answer_formats();
const AnswerFormat& find_answer_format(std::string_view name);

/// Prints the columns on one line, separated by tabs. Tabs and line ends inside a column become spaces.
void print_columns(const std::vector<std::string>& columns);

}  // namespace cavs::cli
