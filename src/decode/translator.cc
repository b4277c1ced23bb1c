#include "cavs/translator.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cavs/scores.h"
#include "declare/function.h"
#include "decode/beam_search.h"
#include "decode/growing_graphs.h"
#include "decode/translation_pattern.h"
#include "support/check.h"
#include "train/port_names.h"

namespace cavs {
namespace {

/// The network of the model as one. @throws UserError naming what it lacks.
Model checked_model(const TrainedModel& model) {
  user_check(translates(model),
             "the model was not trained on pairs of sentences, so it translates nothing; expected one trained on data "
             "such as parallel:SOURCE+TARGET");
  user_check(model.words.id(Vocabulary::kEndOfLine) < model.classes && model.classes <= model.words.size(),
             "the model has {} classes and {} words; expected a class for each word of the target language, and for {}",
             model.classes, model.words.size(), Vocabulary::kEndOfLine);
  return model.model.connected();
}

void check_options(const TranslateOptions& options) {
  user_check(options.beam >= 1 && options.best >= 1 && options.best <= options.beam,
             "translating with a beam of {} for the {} best; expected at least 1, and no more than the beam",
             options.beam, options.best);
  user_check(std::isfinite(options.length_penalty) && options.length_penalty >= 0 && options.most_words >= 0,
             "translating with length penalty {} to at most {} words; expected 0 or more of both",
             options.length_penalty, options.most_words);
}

std::int32_t most_words(const TranslateOptions& options, std::int64_t source) {
  if (options.most_words > 0) return options.most_words;
  return static_cast<std::int32_t>(std::min<std::int64_t>(2 * source + 10, std::numeric_limits<std::int32_t>::max()));
}

/// A sentence on its way.
struct Sentence {
  std::size_t number = 0;            // among those that were given
  TranslationPattern pattern;        // of which the vertices are, once they are evaluated, ...
  std::vector<std::int32_t> source;  // ... these
  std::vector<std::int32_t> before;  // by live hypothesis: its last vertex; none where it has none
  BeamSearch search;
};

}  // namespace

bool translates(const TrainedModel& model) {
  return model.schema == translation_schema() && model.words.id(Vocabulary::kEndOfLine) > 0;
}

struct Translator::Impl {
  Impl(const TrainedModel& model, const SessionOptions& options)
      : words(model.words),
        graph_builder(graph_builder_for(model.graph_builder, &model.model, model.schema)),
        end(words.id(Vocabulary::kEndOfLine)),
        graphs(checked_model(model), model.parameters, {kDecoder, "word", kLogits}, options) {}

  std::vector<Sentence> start(std::span<const std::string> texts, const TranslateOptions& options) const {
    std::vector<Sentence> sentences;
    for (std::size_t number = 0; number < texts.size(); ++number) {
      std::vector<std::int32_t> ids;
      for (const auto word : split_words(texts[number])) ids.push_back(words.id(word));
      if (ids.empty()) continue;
      const BeamSearch search({.beam = options.beam,
                               .best = options.best,
                               .length_penalty = options.length_penalty,
                               .end = end,
                               .most_words = most_words(options, std::ssize(ids))});
      sentences.push_back({number, translation_pattern(ids, graph_builder), {}, {}, search});
    }
    return sentences;
  }

  /// Evaluates the sources; of their vertices those are kept that a decoder vertex has as child.
  void encode(std::vector<Sentence>& sentences) {
    GraphSchema schema = graph_builder ? graph_builder->target : translation_schema();
    schema.network = false;  // the models that grow are connected already
    GraphSet sources(std::move(schema));
    std::vector<std::int64_t> kept;
    for (Sentence& sentence : sentences) {
      const std::int64_t first = sources.vertices();
      sources.add(sentence.pattern.source, "source");
      sentence.source.assign(sentence.pattern.source.types.size(), -1);
      for (const auto* read : {&sentence.pattern.first, &sentence.pattern.next})
        for (const std::int32_t child : *read) {
          if (child < 0 || sentence.source[child] >= 0) continue;
          sentence.source[child] = static_cast<std::int32_t>(kept.size());
          kept.push_back(first + child);
        }
    }
    const std::vector<std::int32_t> evaluated = graphs.evaluate(sources, kept);
    for (Sentence& sentence : sentences)
      for (std::int32_t& vertex : sentence.source)
        if (vertex >= 0) vertex = evaluated[vertex];
  }

  /// A vertex for each live hypothesis.
  void add_vertices(const Sentence& sentence) {
    const auto live = sentence.search.live();
    for (std::size_t h = 0; h < live.size(); ++h) {
      const bool first = live[h].last < 0;
      children.clear();
      for (const std::int32_t child : first ? sentence.pattern.first : sentence.pattern.next)
        children.push_back(child == TranslationPattern::kBefore ? sentence.before[h]
                           : child < 0                          ? -1
                                                                : sentence.source[child]);
      vertices.add(first ? end : live[h].last, children);
      forced.push_back(sentence.search.forced_word());
    }
  }

  /// The best words of a row of logits; the forced one alone, where there is one.
  static void rank(std::span<const float> logits, std::int32_t forced_word, std::span<ScoredWord> best) {
    if (forced_word < 0) return cpu::best_words(logits, best);
    std::ranges::fill(best, ScoredWord());
    const float log_probability = cpu::log_softmax_at(logits, forced_word);
    best[0] = {std::isfinite(log_probability) ? forced_word : -1, log_probability};
  }

  /// The next word of every hypothesis of these sentences.
  void step(std::span<Sentence* const> sentences) {
    vertices.clear(), forced.clear();
    std::size_t each = 1;  // words that may follow a hypothesis
    for (const Sentence* sentence : sentences) {
      add_vertices(*sentence);
      each = std::max(each, static_cast<std::size_t>(sentence->search.width()));
    }
    continuations.resize(each * static_cast<std::size_t>(vertices.size()));
    const std::vector<std::int32_t> evaluated = graphs.step(vertices, [&](std::int32_t k, std::span<const float> row) {
      rank(row, forced[k], std::span(continuations).subspan(static_cast<std::size_t>(k) * each, each));
    });
    std::size_t first = 0;
    for (Sentence* sentence : sentences) {
      const std::size_t live = sentence->search.live().size();
      user_check(sentence->search.advance(std::span(continuations).subspan(first * each, live * each)),
                 "sentence {}: the model gives no word a probability that is a number, after {} words; its parameters "
                 "may not be finite",
                 sentence->number + 1, sentence->search.length());
      sentence->before.clear();
      for (const LiveHypothesis& hypothesis : sentence->search.live())
        sentence->before.push_back(evaluated[first + hypothesis.parent]);
      first += live;
    }
    graphs.retire(last_step);
    last_step = evaluated;
  }

  std::vector<Translation> result(const BeamSearch& search) const {
    std::vector<Translation> translations;
    for (const Hypothesis& hypothesis : search.best()) {
      Translation& translation = translations.emplace_back();
      for (const std::int32_t word : hypothesis.words) translation.words.push_back(words.word(word));
      translation.log_probability = hypothesis.log_probability, translation.score = hypothesis.score;
    }
    return translations;
  }

  Vocabulary words;
  std::optional<GraphBuilder> graph_builder;
  std::int32_t end;
  GrowingGraphs graphs;
  // Of a step; their memory is used again.
  NewVertices vertices;
  std::vector<std::int32_t> children, forced;  // of a vertex; by vertex: its hypothesis' forced word
  std::vector<ScoredWord> continuations;
  std::vector<std::int32_t> last_step;  // its evaluated vertices
};

Translator::Translator(const TrainedModel& model, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Translator::~Translator() = default;

std::vector<std::vector<Translation>> Translator::run(std::span<const std::string> sentences,
                                                      const TranslateOptions& options) {
  check_options(options);
  impl_->graphs.clear(), impl_->last_step.clear();
  std::vector<std::vector<Translation>> results(sentences.size(), std::vector<Translation>(1));
  std::vector<Sentence> open = impl_->start(sentences, options);
  if (open.empty()) return results;
  impl_->encode(open);
  std::vector<Sentence*> live;
  live.reserve(open.size());
  for (Sentence& sentence : open) live.push_back(&sentence);
  while (!live.empty()) {
    impl_->step(live);
    std::erase_if(live, [&](const Sentence* sentence) {
      if (sentence->search.done()) impl_->graphs.retire(sentence->source);
      return sentence->search.done();
    });
  }
  for (const Sentence& sentence : open) results[sentence.number] = impl_->result(sentence.search);
  return results;
}

double translation_bleu(Translator& translator, const PairedText& text, const TranslateOptions& options,
                        int batch_size) {
  user_check(text.source.size() == text.target.size() && batch_size > 0,
             "BLEU of {} sources against {} targets, {} at once; expected as many of both, and at least 1",
             text.source.size(), text.target.size(), batch_size);
  Bleu bleu;
  const auto size = static_cast<std::size_t>(batch_size);
  for (std::size_t first = 0; first < text.source.size(); first += size) {
    const auto batch = std::span(text.source).subspan(first, std::min(size, text.source.size() - first));
    const auto translations = translator.run(batch, options);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const std::string_view reference = text.target[first + k];
      bleu.add(fmt::format("{}", fmt::join(translations[k].front().words, " ")), {&reference, 1});
    }
  }
  return bleu.score();
}

}  // namespace cavs
