#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>

#include "cavs/decode.h"
#include "cavs/evaluator.h"
#include "cavs/readers.h"
#include "decode/decoder.h"
#include "execute/team.h"
#include "support/available_memory.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

void check_options(const TranslateOptions& options) {
  user_check(
      options.beam >= 1 && options.best >= 1 && options.best <= options.beam,
      "translating with a beam of {} for the {} best translations; expected at least 1, and no more than the beam",
      options.beam, options.best);
  user_check(std::isfinite(options.length_penalty) && options.length_penalty >= 0 && options.max_words >= 0,
             "translating with length penalty {} to at most {} words; expected both to be 0 or more",
             options.length_penalty, options.max_words);
}

/// Returns the number of decoders that share the sentences. A GPU has one, since it evaluates many vertices at once.
int decoders(const SessionOptions& options) { return options.device.kind == DeviceKind::kCpu ? options.threads : 1; }

/// Returns the options with the memory limit of one session. The limit is divided among sessions: there is a decoder
/// for each thread and one for all threads together (with one thread, a single decoder), and each decoder has a session
/// for sources and one for steps. Without a limit, sessions on a GPU use its free memory.
SessionOptions with_part(SessionOptions options) {
  if (options.memory_limit == 0 && options.device.kind != DeviceKind::kCpu) return options;
  const std::int64_t all = options.memory_limit > 0 ? options.memory_limit : available_memory() / 10 * 9;
  const std::int64_t count = decoders(options);
  options.memory_limit = std::max<std::int64_t>(1, all / (count > 1 ? 2 * (count + 1) : 2));
  return options;
}

SessionOptions of_one(SessionOptions options) {
  options.threads = 1;
  return options;
}

}  // namespace

bool translates(const TrainedModel& model) {
  return model.schema == translation_schema() && model.words.id(Vocabulary::kEndOfLine) > 0;
}

/// Divides several sentences among the threads, so that threads never wait for each other's search. All threads decode
/// a single sentence together; a GPU decodes all sentences together.
struct Translator::Impl {
  Impl(const TrainedModel& trained, const SessionOptions& o)
      : model(trained), options(with_part(o)), together(model, options), team(decoders(options)) {}

  Decoded decode(std::span<const std::string> texts, const TranslateOptions& how) {
    Decoded decoded(texts.size());
    const std::size_t shares = std::min(static_cast<std::size_t>(team.size()), texts.size());
    if (shares < 2) {
      together.run(texts, 0, 1, how, decoded);
      return decoded;
    }
    while (each.size() < shares) each.push_back(std::make_unique<Decoder>(together, of_one(options)));
    std::vector<std::exception_ptr> errors(shares);
    team.run([&](int worker) {
      const auto share = static_cast<std::size_t>(worker);
      if (share >= shares) return;
      try {
        each[share]->run(texts, share, shares, how, decoded);
      } catch (...) {
        errors[share] = std::current_exception();
      }
    });
    // Throws the error of the failed decoder with the lowest number, so that the error does not depend on timing.
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
    return decoded;
  }

  std::vector<Translation> translations(const std::vector<Hypothesis>& hypotheses) const {
    std::vector<Translation> found;
    for (const Hypothesis& hypothesis : hypotheses) {
      Translation& translation = found.emplace_back();
      for (const std::int32_t word : hypothesis.words) translation.words.push_back(model.words.word(word));
      translation.log_probability = hypothesis.log_probability;
      translation.score = hypothesis.score;
    }
    return found;
  }

  TrainedModel model;
  SessionOptions options;
  Decoder together;                            // decodes with all threads
  Team team;                                   // the threads that run `each`
  std::vector<std::unique_ptr<Decoder>> each;  // [threads in use]
};

Translator::Translator(const TrainedModel& model, const SessionOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Translator::~Translator() = default;

std::vector<std::vector<Translation>> Translator::run(std::span<const std::string> sentences,
                                                      const TranslateOptions& options) {
  check_options(options);
  std::vector<std::vector<Translation>> results;
  for (const std::vector<Hypothesis>& hypotheses : impl_->decode(sentences, options))
    results.push_back(hypotheses.empty() ? std::vector<Translation>(1) : impl_->translations(hypotheses));
  return results;
}

std::vector<std::vector<Translation>> Translator::run(std::span<const std::string> sentences,
                                                      const TranslateOptions& options,
                                                      std::vector<std::string>& errors) {
  check_options(options);
  errors.resize(sentences.size());
  std::vector<std::string> good;
  for (std::size_t i = 0; i < sentences.size(); ++i)
    if (errors[i].empty()) good.push_back(sentences[i]);
  std::vector<std::vector<Translation>> of_good(good.size()), all(sentences.size());
  std::vector<std::string> reasons(good.size());
  try {
    of_good = run(good, options);
  } catch (const UserError&) {  // find the failing sentences by translating each alone
    for (std::size_t k = 0; k < good.size(); ++k) try {
        of_good[k] = std::move(run({&good[k], 1}, options)[0]);
      } catch (const UserError& error) {
        reasons[k] = error.what();
      }
  }
  for (std::size_t i = 0, k = 0; i < sentences.size(); ++i)
    if (errors[i].empty()) {
      errors[i] = reasons[k];
      all[i] = std::move(of_good[k++]);
    }
  return all;
}

double translation_bleu(Translator& translator, const PairedText& text, const TranslateOptions& options,
                        int batch_size) {
  user_check(text.source.size() == text.target.size() && batch_size > 0,
             "BLEU of {} sources against {} targets, with batch size {}; expected equal numbers, and a batch size of "
             "at least 1",
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

}  // namespace cavs::inline v0_1
