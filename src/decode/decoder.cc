#include "decode/decoder.h"

#include <algorithm>
#include <limits>

#include "cavs/readers.h"
#include "ir/function.h"
#include "support/check.h"
#include "train/port_names.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns the model without connections (Model::connected). @throws UserError naming what the model lacks.
Model checked_model(const TrainedModel& model) {
  user_check(translates(model),
             "the model was not trained on pairs of sentences, so it cannot translate; expected a model trained on "
             "data such as parallel:SOURCE+TARGET");
  user_check(model.words.id(Vocabulary::kEndOfLine) < model.classes && model.classes <= model.words.size(),
             "the model has {} classes and {} words; expected a class for each word of the target language, and for {}",
             model.classes, model.words.size(), Vocabulary::kEndOfLine);
  return model.model.connected();
}

std::int32_t max_words(const TranslateOptions& options, std::int64_t source) {
  if (options.max_words > 0) return options.max_words;
  return static_cast<std::int32_t>(std::min<std::int64_t>(2 * source + 10, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

Decoder::Decoder(const TrainedModel& model, const SessionOptions& options)
    : words_(model.words),
      graph_builder_(graph_builder_for(model.graph_builder, &model.model, model.schema)),
      end_(words_.id(Vocabulary::kEndOfLine)),
      graphs_(checked_model(model), model.parameters, {kDecoder, "word", kLogits}, options) {}

Decoder::Decoder(const Decoder& other, const SessionOptions& options)
    : words_(other.words_), graph_builder_(other.graph_builder_), end_(other.end_), graphs_(other.graphs_, options) {}

std::vector<Decoder::Sentence> Decoder::start(std::span<const std::string> texts, std::size_t first, std::size_t stride,
                                              const TranslateOptions& options) const {
  std::vector<Sentence> sentences;
  for (std::size_t number = first; number < texts.size(); number += stride) {
    std::vector<std::int32_t> ids;
    for (const auto word : split_words(texts[number])) ids.push_back(words_.id(word));
    if (ids.empty()) continue;
    const BeamSearch search({.beam = options.beam,
                             .best = options.best,
                             .length_penalty = options.length_penalty,
                             .end = end_,
                             .max_words = max_words(options, std::ssize(ids))});
    sentences.push_back({number, translation_pattern(ids, graph_builder_), {}, {}, search});
  }
  return sentences;
}

/// Evaluates the sources, and keeps the states of the vertices that are children of decoder vertices.
void Decoder::encode(std::vector<Sentence>& sentences) {
  GraphSchema schema = graph_builder_ ? graph_builder_->target : translation_schema();
  schema.connected = false;  // connections have already become gathers and scatters
  GraphSet sources(std::move(schema));
  std::vector<std::int32_t> kept;
  for (Sentence& sentence : sentences) {
    const std::int64_t first = sources.vertices();
    sources.add(sentence.pattern.source, "source");
    sentence.source.assign(sentence.pattern.source.types.size(), -1);
    for (const auto* read : {&sentence.pattern.first, &sentence.pattern.next})
      for (const std::int32_t child : *read) {
        if (child < 0 || sentence.source[child] >= 0) continue;
        sentence.source[child] = static_cast<std::int32_t>(kept.size());
        kept.push_back(static_cast<std::int32_t>(first + child));
      }
  }
  const std::vector<std::int32_t> evaluated = graphs_.evaluate(sources, kept);
  for (Sentence& sentence : sentences)
    for (std::int32_t& vertex : sentence.source)
      if (vertex >= 0) vertex = evaluated[vertex];
}

/// Adds to the step a decoder vertex for each live hypothesis of the sentence.
void Decoder::add_vertices(const Sentence& sentence) {
  const auto live = sentence.search.live();
  for (std::size_t h = 0; h < live.size(); ++h) {
    const bool first = live[h].last < 0;
    children_.clear();
    for (const std::int32_t child : first ? sentence.pattern.first : sentence.pattern.next)
      children_.push_back(child == TranslationPattern::kBefore ? sentence.before[h]
                          : child < 0                          ? -1
                                                               : sentence.source[child]);
    vertices_.add(first ? end_ : live[h].last, children_);
    forced_.push_back(sentence.search.forced_word());
  }
}

/// Makes a step of the search of each of these sentences, whose vertices are evaluated together.
void Decoder::step(std::span<Sentence* const> sentences) {
  vertices_.clear();
  forced_.clear();
  std::size_t each = 1;  // continuations per hypothesis
  for (const Sentence* sentence : sentences) {
    add_vertices(*sentence);
    each = std::max(each, static_cast<std::size_t>(sentence->search.width()));
  }
  each = std::min(each, static_cast<std::size_t>(graphs_.width()));
  continuations_.resize(each * static_cast<std::size_t>(vertices_.size()));
  const std::vector<std::int32_t> evaluated = graphs_.step(vertices_, forced_, continuations_);
  std::size_t first = 0;
  for (Sentence* sentence : sentences) {
    const std::size_t live = sentence->search.live().size();
    user_check(
        sentence->search.advance(std::span(continuations_).subspan(first * each, live * each)),
        "sentence {}: after {} words, the model's probabilities are not finite; its parameters may not be finite",
        sentence->number + 1, sentence->search.length());
    sentence->before.clear();
    for (const LiveHypothesis& hypothesis : sentence->search.live())
      sentence->before.push_back(evaluated[first + hypothesis.parent]);
    first += live;
  }
  graphs_.retire(last_step_);
  last_step_ = evaluated;
}

void Decoder::run(std::span<const std::string> texts, std::size_t first, std::size_t stride,
                  const TranslateOptions& options, Decoded& decoded) {
  graphs_.clear();
  last_step_.clear();
  std::vector<Sentence> open = start(texts, first, stride, options);
  if (open.empty()) return;
  encode(open);
  std::vector<Sentence*> live;
  live.reserve(open.size());
  for (Sentence& sentence : open) live.push_back(&sentence);
  while (!live.empty()) {
    step(live);
    std::erase_if(live, [&](const Sentence* sentence) {
      if (sentence->search.done()) graphs_.retire(sentence->source);
      return sentence->search.done();
    });
  }
  for (const Sentence& sentence : open) decoded[sentence.number] = sentence.search.best();
}

}  // namespace cavs::inline v0_1
