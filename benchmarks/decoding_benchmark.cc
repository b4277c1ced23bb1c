// Sentences per second that `lstm-nmt` translates: 64 sentences of 13 words, to 13 words each, all at once or one at a
// time. Parameters are random; the probability of the end is removed so that the length is fixed. To compare, use
// --benchmark_enable_random_interleaving=true --benchmark_repetitions=N.

#include <benchmark/benchmark.h>

#include "cavs/decode.h"
#include "cavs/models.h"
#include "cavs/readers.h"

namespace {

constexpr int kSentences = 64, kWords = 13;

/// A model with random parameters, and with this number of words in the source and in the target language.
cavs::TrainedModel random_model(int hidden, int target_words) {
  const int words = 2 * target_words;
  std::vector<std::string> names{"<unk>", "<eos>"};
  for (int word = 2; word < words; ++word) names.push_back("w" + std::to_string(word));
  cavs::TrainedModel trained{
      .model = cavs::find_model("lstm-nmt")
                   .make({.vocabulary = words, .embedding = hidden, .hidden = hidden, .classes = target_words}),
      .parameters = nullptr,
      .words = cavs::Vocabulary(names),
      .schema = cavs::translation_schema(),
      .graph_builder = {},
      .class_names = {},
      .classes = target_words};
  trained.parameters = trained.model.make_parameters();
  trained.parameters->values(trained.parameters->find("output_b"))[1] = -1e4F;
  return trained;
}

std::vector<std::string> sentences(int target_words) {
  std::vector<std::string> all(kSentences);
  for (int k = 0; k < kSentences; ++k)
    for (int word = 0; word < kWords; ++word)
      all[k] += "w" + std::to_string(target_words + (k * 31 + word * 7) % target_words) + " ";
  return all;
}

void translate(benchmark::State& state) {
  const auto hidden = static_cast<int>(state.range(0)), words = static_cast<int>(state.range(1));
  const std::size_t at_once = state.range(3);
  cavs::Translator translator(random_model(hidden, words), {.threads = static_cast<int>(state.range(4))});
  const std::vector<std::string> all = sentences(words);
  const cavs::TranslateOptions options{.beam = static_cast<int>(state.range(2)), .max_words = kWords};
  for (auto _ : state)
    for (std::size_t first = 0; first < all.size(); first += at_once)
      benchmark::DoNotOptimize(translator.run(std::span(all).subspan(first, at_once), options));
  state.SetItemsProcessed(state.iterations() * kSentences);
}

BENCHMARK(translate)
    ->ArgNames({"hidden", "words", "beam", "at_once", "threads"})
    ->ArgsProduct({{64, 256}, {1000, 8000}, {1, 5}, {1, 64}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
