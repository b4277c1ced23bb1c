#include "cli/answer_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "cavs/inspect.h"
#include "cli/report.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

/// Returns the double with the fewest digits that still parses to the same float.
double shortest(float number) { return std::stod(fmt::format("{}", number)); }

Json shortest(const std::vector<float>& numbers) {
  Json list = Json::array();
  for (float number : numbers) list.push_back(shortest(number));
  return list;
}

/// Returns the name of class c, or its number if classes have no names. -1 means no class.
Json class_json(const TrainedModel& model, std::int32_t c) {
  if (c < 0 || model.class_names.empty()) return c;
  return class_name(model, c);
}

Json score_json(const AnswerPage& page) {
  Json json{{"score", shortest(*page.answer.score)}};
  if (page.answer.expected_score) json["expected"] = shortest(*page.answer.expected_score);
  const auto& root = page.answer.prediction.roots.front();
  if (!root.probabilities.empty()) json["probabilities"] = shortest(root.probabilities);
  return json;
}

Json tokens_json(const AnswerPage& page) {
  const Answer& answer = page.answer;
  Json json{{"tokens", answer.tokens}, {"tags", answer.classes}};
  if (!answer.probabilities.empty()) json["probabilities"] = shortest(answer.probabilities);
  if (!answer.expected.empty()) json["expected"] = answer.expected;
  return json;
}

Json vertices_json(const AnswerPage& page) {
  const Prediction& prediction = page.answer.prediction;
  const auto describe_root = [&](const Prediction::Root& root) {
    Json json{{"class", class_json(page.model, prediction.classes[root.vertex])}};
    if (!root.probabilities.empty() || prediction.classes[root.vertex] < 0)
      json["probabilities"] = shortest(root.probabilities);
    return json;
  };
  const Prediction::Root& root = prediction.roots.front();
  Json json = describe_root(root);
  json["classes"] = Json::array();
  for (const std::int32_t c : prediction.classes) json["classes"].push_back(class_json(page.model, c));
  if (!page.answer.expected.empty())
    if (const std::string& label = page.answer.expected[root.vertex]; !label.empty())
      json["label"] = page.model.class_names.empty() ? Json(std::stoi(label)) : Json(label);
  if (prediction.roots.size() > 1)
    for (const auto& each : prediction.roots) {
      json["roots"].push_back({{"vertex", each.vertex}});
      json["roots"].back().update(describe_root(each));
    }
  return json;
}

Json spans_json(const AnswerPage& page) {
  Json list = Json::array();
  for (const Span& span : spans_of(page.model, page.answer)) {
    list.push_back({{"begin", span.begin}, {"end", span.end}, {"class", span.entity_class}});
    if (!span.text.empty()) list.back()["text"] = span.text;
  }
  return list;
}

void print_jsonl(const AnswerPage& page) {
  Json json = page.answer.score            ? score_json(page)
              : page.answer.tokens.empty() ? vertices_json(page)
                                           : tokens_json(page);
  if (page.spans) json["entities"] = spans_json(page);
  print_json(json);
}

void print_tsv(const AnswerPage& page) {
  const Answer& answer = page.answer;
  std::vector<std::string> columns;
  if (answer.score) {
    columns.push_back(fmt::format("{}", *answer.score));
    if (answer.expected_score) columns.push_back(fmt::format("{}", *answer.expected_score));
  } else if (!answer.tokens.empty()) {
    columns = {fmt::format("{}", fmt::join(answer.tokens, " ")), fmt::format("{}", fmt::join(answer.classes, " "))};
  } else {
    const std::int32_t root = answer.prediction.roots.front().vertex;
    columns.push_back(answer.classes[root]);
    if (!answer.probabilities.empty()) columns.push_back(fmt::format("{}", answer.probabilities[root]));
  }
  if (page.spans)
    for (const Span& span : spans_of(page.model, answer))
      columns.push_back(fmt::format("{} {} {} {}", span.begin, span.end, span.entity_class, span.text));
  print_columns(columns);
}

void print_conll(const AnswerPage& page) {
  const Answer& answer = page.answer;
  user_check(!answer.tokens.empty(),
             "--format conll prints a line for each token, but this sample has no tokens; expected sentences or "
             "dependency trees, or --format jsonl");
  for (std::size_t t = 0; t < answer.tokens.size(); ++t) {
    std::vector<std::string> columns{answer.tokens[t]};
    if (!answer.expected.empty()) columns.push_back(answer.expected[t].empty() ? "_" : answer.expected[t]);
    columns.push_back(answer.classes[t]);
    print_columns(columns);
  }
  fmt::print("\n");
}

void print_tree(const AnswerPage& page) {
  const auto& [model, samples, s, answer, spans] = page;
  const Tree* tree = samples.trees[s].size() > 0 ? &samples.trees[s] : nullptr;
  inspect::VertexNotes notes = inspect::notes_of(samples.graphs, s, model.words, tree);
  notes.predictions = answer.prediction.classes;
  notes.class_names = model.class_names;
  const SampleText& text = samples.texts[s];
  for (std::size_t t = 0; t < text.tokens.size(); ++t)
    if (text.vertices[t] < std::ssize(notes.words)) notes.words[text.vertices[t]] = text.tokens[t];
  if (answer.score) {  // the model predicts a score, not a class
    notes.predictions.assign(notes.words.size(), -1);
    std::string& root = notes.words[answer.prediction.roots.front().vertex];
    root = fmt::format("{:.2f}", *answer.score);
    if (answer.expected_score) root += fmt::format(" (expected: {:.2f})", *answer.expected_score);
  }
  fmt::print("{}\n", inspect::to_text(samples.graphs, s, notes));
}

}  // namespace

std::span<const AnswerFormat> all_answer_formats() {
  static constexpr std::array kFormats{
      AnswerFormat{"jsonl", "one JSON object per line", print_jsonl, true},
      AnswerFormat{"tsv", "one line per sample, columns separated by tabs", print_tsv, true},
      AnswerFormat{"conll", "one line per token with its class, a blank line after each sample", print_conll},
      AnswerFormat{"tree", "a drawing", print_tree},
  };
  return kFormats;
}

const AnswerFormat& find_answer_format(std::string_view name) {
  return *std::ranges::find(all_answer_formats(), name, &AnswerFormat::name);
}

void print_columns(const std::vector<std::string>& columns) {
  std::vector<std::string> cells = columns;
  for (std::string& cell : cells)
    std::ranges::replace_if(
        cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  fmt::print("{}\n", fmt::join(cells, "\t"));
}

}  // namespace cavs::cli
