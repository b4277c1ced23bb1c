#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cavs/decode.h"
#include "cavs/evaluator.h"
#include "cavs/readers.h"
#include "decode/beam_search.h"
#include "decode/translation_pattern.h"
#include "graphs/error_text.h"
#include "helpers/trained.h"

namespace cavs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kData = "translations:train=400,test=20,length=4,vocabulary=20";

const TrainedModel& model_of_pairs() {
  static const TrainedModel model = trained_on(kData, 150, "lstm-nmt");
  return model;
}

/// Sentences of one or more words. The last is longer than any training sentence.
std::vector<std::string> sentences() {
  std::vector<std::string> all = load_data(kData).dev_text.source;
  all.emplace_back("w12 w13 w11 w12 w14 w11 w15 w16 w11 w12 w13 unheard-of");
  return all;
}

std::vector<std::int32_t> ids(const std::vector<std::string_view>& words) {
  std::vector<std::int32_t> all;
  for (const auto word : words) all.push_back(model_of_pairs().words.id(word));
  return all;
}

/// Logits of every decoder vertex when the decoder reads these words.
std::vector<std::vector<float>> teacher_forced(const std::string& source, const std::vector<std::int32_t>& target) {
  const TrainedModel& model = model_of_pairs();
  const std::int32_t end = model.words.id(Vocabulary::kEndOfLine);
  std::vector<std::int32_t> labels = target;
  labels.push_back(end);
  GraphSet graphs(translation_schema());
  graphs.add(to_translation(ids(split_words(source)), end, labels));
  static const auto program = compile(model.model, {.training = false});
  static Session session(program, model.parameters);
  const GraphSet built = build_graphs(graphs, network_builder(model.model, graphs.schema()));
  const auto bound = bind_graphs(program, built);
  const std::int32_t sample = 0;
  const Run run = session.forward(*bound, {&sample, 1});
  const std::vector<float> all = run.output("logits");
  std::vector<std::vector<float>> rows;
  const auto width = static_cast<std::size_t>(model.classes);
  for (std::size_t row = all.size() / width - labels.size(); row < all.size() / width; ++row)
    rows.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(row * width),
                      all.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return rows;
}

double log_probability(const std::vector<float>& logits, std::int32_t word) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x) - logits[word]);
  return -std::log(sum);
}

double log_probability(const std::string& source, const std::vector<std::int32_t>& target) {
  const auto rows = teacher_forced(source, target);
  double sum = log_probability(rows.back(), model_of_pairs().words.id(Vocabulary::kEndOfLine));
  for (std::size_t t = 0; t < target.size(); ++t) sum += log_probability(rows[t], target[t]);
  return sum;
}

std::vector<std::int32_t> ids(const Translation& translation) {
  return ids({translation.words.begin(), translation.words.end()});
}

void expect_same(const std::vector<Translation>& a, const std::vector<Translation>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].words, b[k].words);
    EXPECT_EQ(a[k].log_probability, b[k].log_probability);
    EXPECT_EQ(a[k].score, b[k].score);
  }
}

TEST(Translator, ThreadsHandleFewOrBlankSentencesAndErrors) {
  Translator one(model_of_pairs()), many(model_of_pairs(), {.threads = 5});
  const std::vector<std::string> all{"w12 w13", "", "w14 w15 w11", " ", "w12 w16", "w13", "w11 w11"};
  const TranslateOptions options{.beam = 3, .best = 2};
  for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 1U}) {
    const auto some = std::span(all).first(count);
    const auto found = many.run(some, options), expected = one.run(some, options);
    ASSERT_EQ(found.size(), count);
    for (std::size_t k = 0; k < count; ++k) expect_same(found[k], expected[k]);
  }
  TrainedModel model = model_of_pairs();
  model.parameters = model.model.make_parameters();
  Translator two(model, {.threads = 2});
  const auto before = two.run(all, options);
  const auto bias = [&]() -> float& { return model.parameters->values(model.parameters->find("output_b"))[1]; };
  const float kept = std::exchange(bias(), std::nanf(""));
  model.parameters->touch(model.parameters->find("output_b"));
  for (int k = 0; k < 20; ++k)
    EXPECT_THAT(error_of([&] { two.run(all, options); }), HasSubstr("sentence 1: ")) << "whichever thread is first";
  bias() = kept;
  model.parameters->touch(model.parameters->find("output_b"));
  const auto after = two.run(all, options);
  for (std::size_t k = 0; k < all.size(); ++k) expect_same(after[k], before[k]);
}

TEST(Translator, ThreadsShareTheMemoryLimit) {
  const std::vector<std::string> all(8, "w12 w13 w14 w15 w11 w12 w13 w14");
  const auto error = [&](int threads, std::int64_t limit) {
    return error_of([&] { Translator(model_of_pairs(), {.threads = threads, .memory_limit = limit}).run(all); });
  };
  std::int64_t enough = 1 << 10;
  while (enough < 1 << 24 && error(1, enough) != "no UserError") enough *= 2;
  EXPECT_GT(enough, 1 << 10);
  EXPECT_EQ(error(2, 2 * enough), "no UserError");
  EXPECT_THAT(error(2, enough / 2), HasSubstr("the limit is"));
}

TEST(Translator, ScoresEqualTeacherForcingWithItsOutput) {
  const std::vector<std::string> all = sentences();
  const TranslateOptions options{.beam = 4, .best = 4, .length_penalty = 0.8};
  const auto found = Translator(model_of_pairs()).run(all, options);
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const Translation& each : found[k]) {
      EXPECT_NEAR(each.log_probability, log_probability(all[k], ids(each)), 1e-5 * (1 - each.log_probability));
      EXPECT_DOUBLE_EQ(each.score, each.log_probability / length_penalty(0.8, std::ssize(each.words) + 1));
    }
}

TEST(Translator, WithABeamOfOneChoosesTheMostProbableWordEachTime) {
  const std::vector<std::string> all = sentences();
  const auto found = Translator(model_of_pairs()).run(all);
  const std::int32_t end = model_of_pairs().words.id(Vocabulary::kEndOfLine);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t max = 2 * split_words(all[k]).size() + 10;
    std::vector<std::int32_t> greedy;
    while (greedy.size() < max) {
      const std::vector<float> last = teacher_forced(all[k], greedy).back();
      const auto word = static_cast<std::int32_t>(std::ranges::max_element(last) - last.begin());
      if (word == end) break;
      greedy.push_back(word);
    }
    EXPECT_EQ(ids(found[k].front()), greedy) << all[k];
  }
}

TEST(Translator, LearnsToTranslate) {
  const Dataset data = load_data(kData);
  Translator translator(model_of_pairs());
  const double greedy = translation_bleu(translator, data.dev_text, {}, 7);
  EXPECT_GT(greedy, 30);
  Bleu bleu;
  const auto translations = translator.run(data.dev_text.source);
  for (std::size_t k = 0; k < translations.size(); ++k) {
    std::string text;
    for (const std::string& word : translations[k][0].words) text += (text.empty() ? "" : " ") + word;
    const std::string_view reference = data.dev_text.target[k];
    bleu.add(text, {&reference, 1});
  }
  EXPECT_EQ(greedy, bleu.score());
}

TEST(Translator, KeepsTheOrderOfSentencesAndReturnsNoWordsForAnEmptyOne) {
  const std::vector<std::string> all{"", "w12 w13", "  ", "w12 w13"};
  const auto found = Translator(model_of_pairs()).run(all, {.beam = 2, .best = 2});
  ASSERT_EQ(found.size(), 4U);
  for (const int blank : {0, 2}) {
    ASSERT_EQ(found[blank].size(), 1U);
    EXPECT_THAT(found[blank][0].words, IsEmpty());
    EXPECT_EQ(found[blank][0].score, 0);
  }
  expect_same(found[1], found[3]);
  EXPECT_THAT(Translator(model_of_pairs()).run({}), IsEmpty());
}

TEST(Translator, StopsAtTheLimitOfWords) {
  const std::string source = "w12 w13 w14 w15";
  const auto found = Translator(model_of_pairs()).run({&source, 1}, {.beam = 3, .best = 3, .max_words = 2})[0];
  for (const Translation& each : found) EXPECT_LE(each.words.size(), 2U);
}

TEST(Translator, ReportsBadInput) {
  const TrainedModel chains = trained_on("markov:train=8,vocabulary=30", 1);
  EXPECT_FALSE(translates(chains));
  EXPECT_TRUE(translates(model_of_pairs()));
  EXPECT_THAT(error_of([&] { Translator{chains}; }), HasSubstr("not trained on pairs of sentences"));
  const std::string source = "w12";
  const auto error = [&](const TranslateOptions& options) {
    return error_of([&] { Translator(model_of_pairs()).run({&source, 1}, options); });
  };
  EXPECT_THAT(error({.beam = 0}), HasSubstr("a beam of 0"));
  for (const int threads : {-7, 0, 1025})
    EXPECT_THAT(error_of([&] { Translator(model_of_pairs(), {.threads = threads}); }), HasSubstr("expected 1 to 1024"));
  EXPECT_THAT(error({.beam = 2, .best = 3}), HasSubstr("a beam of 2 for the 3 best"));
  EXPECT_THAT(error({.length_penalty = -1}), HasSubstr("length penalty -1"));
  TrainedModel broken = model_of_pairs();
  broken.parameters = broken.model.make_parameters();
  for (float& x : broken.parameters->values(broken.parameters->find("output_b"))) x = std::nanf("");
  EXPECT_THAT(error_of([&] {
                Translator(broken).run({&source, 1});
              }),
              HasSubstr("sentence 1: after 0 words, the model's probabilities are not finite"));
}

TEST(TranslationPattern, MatchesTheTrainingGraph) {
  const std::vector<std::int32_t> source{5, 6, 7};
  const TranslationPattern pattern = translation_pattern(source, std::nullopt);
  EXPECT_THAT(pattern.source.types, ElementsAre(0, 0, 0));
  EXPECT_THAT(pattern.source.children, ElementsAre(0, 1));
  EXPECT_THAT(pattern.source.index_pulls[0], ElementsAre(5, 6, 7));
  EXPECT_THAT(pattern.first, ElementsAre(2));
  EXPECT_THAT(pattern.next, ElementsAre(TranslationPattern::kBefore));

  // With attention, a decoder vertex also has all encoder vertices as children.
  const Model attending = find_model("lstm-nmt").make({});
  const TranslationPattern all = translation_pattern(source, network_builder(attending, translation_schema()));
  EXPECT_EQ(all.source.children, pattern.source.children);
  EXPECT_THAT(all.first, ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(all.next, ElementsAre(TranslationPattern::kBefore, 0, 1, 2));
}

}  // namespace
}  // namespace cavs
