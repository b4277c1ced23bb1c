#include "cuda/gpu/decode_check.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>

#include "cavs/decode.h"
#include "helpers/trained.h"

namespace cavs::cuda {
namespace {

using Json = nlohmann::json;

constexpr double kMostDifference = 1e-4;  // of a log probability, which is computed from a sum of many numbers
const SessionOptions kGpu{.device = {DeviceKind::kCuda}, .engine = EngineKind::kBatched};

/// Words that follow a text, with their log probability.
struct Said {
  std::vector<std::string> words;
  double log_probability = 0;
  bool operator==(const Said&) const = default;
};
using Answers = std::vector<std::vector<Said>>;  // by text

/// A way to decode.
struct Decoding {
  std::string name;
  std::vector<std::string> texts;
  std::function<Answers(std::span<const std::string> texts, const SessionOptions& session)> run;
  std::function<void()> prepare;
};

Decoding continued_prompts() {
  const TrainedModel model = trained_on("markov:train=200,vocabulary=30,length=6", 60);
  return {"continued prompts",
          {"", "w2", "w5 w2 w7 w2", "w29 never-seen w3"},
          [model](std::span<const std::string> texts, const SessionOptions& session) {
            Answers answers;
            for (const Continuation& each : Continuer(model, session).run(texts, {.words = 10}))
              answers.push_back({{each.words, each.log_probability}});
            return answers;
          },
          [model] {
            Continuer{model, kGpu};
          }};
}

Decoding translations() {
  const TrainedModel model = trained_on("translations:train=400,test=20,length=4,vocabulary=20", 60, "lstm-nmt");
  return {"translations with beams",
          {"w12 w13", "w14 w15 w11", "w13", "w11 w11 w12 w16"},
          [model](std::span<const std::string> texts, const SessionOptions& session) {
            Answers answers;
            for (const auto& all : Translator(model, session).run(texts, {.beam = 4, .best = 3})) {
              auto& said = answers.emplace_back();
              for (const Translation& each : all) said.push_back({each.words, each.log_probability});
            }
            return answers;
          },
          [model] {
            Translator{model, kGpu};
          }};
}

std::vector<Decoding> decodings() { return {continued_prompts(), translations()}; }

/// The largest difference of log probabilities, or infinity if the words differ.
double difference(const Answers& found, const Answers& expected) {
  double most = found.size() == expected.size() ? 0 : INFINITY;
  for (std::size_t text = 0; std::isfinite(most) && text < found.size(); ++text)
    for (std::size_t k = 0; k < expected[text].size(); ++k) {
      const Said &one = found[text].at(k), &other = expected[text][k];
      most =
          std::max(most, one.words == other.words ? std::abs(one.log_probability - other.log_probability) : INFINITY);
    }
  return most;
}

Json check_answers(const Decoding& decoding) {
  std::vector<Answers> found;
  for (const char* form : {"plain", "graphs", "early"}) {
    setenv("CAVS_CUDA_LAUNCHES", form, 1);
    found.push_back(decoding.run(decoding.texts, kGpu));
  }
  const double error = difference(found[0], decoding.run(decoding.texts, {}));
  const bool in_all_forms = found[0] == found[1] && found[0] == found[2];
  const bool alone = decoding.run(std::span(decoding.texts).subspan(1, 1), kGpu)[0] == found[0][1];
  return {{"case", decoding.name},
          {"error", error},
          {"same_bits_in_all_forms", in_all_forms},
          {"same_bits_alone", alone},
          {"right", error <= kMostDifference && in_all_forms && alone}};
}

}  // namespace

void prepare_decoding() {
  for (const Decoding& decoding : decodings()) {
    decoding.prepare();
    std::cerr << decoding.name << ", batched\n";
  }
}

Json check_decoding() {
  Json all = Json::array();
  for (const Decoding& decoding : decodings()) {
    all.push_back(check_answers(decoding));
    std::cerr << all.back().dump() << '\n';
  }
  return all;
}

}  // namespace cavs::cuda
