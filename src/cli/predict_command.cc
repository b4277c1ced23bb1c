#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>

#include "cavs/decode.h"
#include "cavs/readers.h"
#include "cavs/trained_model.h"
#include "cli/answer_formats.h"
#include "cli/commands.h"
#include "cli/input_files.h"
#include "cli/input_lines.h"
#include "cli/option_group.h"
#include "cli/options.h"
#include "cli/policy_option.h"
#include "cli/report.h"
#include "cli/sample_progress.h"
#include "cli/trained_data.h"
#include "cli/translate.h"
#include "cli/validators.h"
#include "cli/words_seen.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr const char* kPredictFooter =
    "Reads samples from standard input, in the form of the training data: trees '(3 (2 It) (4 works))' (labels are\n"
    "optional), ListOps expressions '[MAX 2 9 [MIN 4 7] 0]', sentences or CoNLL columns for taggers, CoNLL-U or\n"
    "'(runs (dog (the)))' for dependency trees, two of these separated by a tab for scores of pairs, or JSON lines\n"
    "(docs/guide/predicting.md). Prints one JSON object per sample:\n"
    "  class, probabilities   of the root\n"
    "  classes                the most probable class of each vertex\n"
    "  label                  of the root, if it was given\n"
    "  roots                  vertex, class and probabilities of each root, if there are several\n"
    "For sentences and dependency trees it prints tokens, tags, probabilities and the expected tags; for pairs, a "
    "score.\n"
    "A model that was trained on text continues prompts, one per line: prompt, continuation, words, ended (by <eos>),\n"
    "log_probability. A model that was trained on pairs of sentences translates source sentences, one per line:\n"
    "source, translation, words, score, log_probability, and alternatives with --n-best.\n"
    "\n"
    "Examples:\n"
    "  $ echo '[MAX 2 9 [MIN 4 7] 0]' | cavs predict listops.cavs\n"
    "  $ cavs predict sst.cavs --format tree <reviews.txt\n"
    "  $ echo 'Anna lives in Rome' | cavs predict ner.cavs --spans\n"
    "  $ cavs predict ner.cavs --data conll:test.conll --format conll >tagged.conll\n"
    "  $ echo 'the meaning of' | cavs predict lm.cavs --words 30 --temperature 0.8 --seed 7\n"
    "  $ cavs predict nmt.cavs --beam 5 --n-best 3 <source.txt";

struct PredictArguments : Options {
  bool tree = false, spans = false;
  std::string format = "jsonl", input, lexicon;
  std::optional<int> words;
  std::optional<double> temperature;
  std::string part = "dev";
  TranslateArguments translation;

  const AnswerFormat& answer_format() const { return find_answer_format(tree ? "tree" : format); }
};

/// Samples that are read from standard input.
class InputSamples final : public SampleSource {
 public:
  explicit InputSamples(SampleOptions options) : reader_(std::cin, std::move(options)) {}
  Samples next(std::int64_t most) override {
    Samples samples = reader_.next(most);
    check_input();
    return samples;
  }
  double share() const override { return 0; }

 private:
  SampleReader reader_;
};

SampleOptions reading_options(const PredictArguments& arguments, const TrainedModel& trained) {
  SampleOptions reading = sample_options(trained);
  reading.form = arguments.input;
  return reading;
}

std::unique_ptr<SampleSource> open_source(const PredictArguments& arguments, const Checkpoint& checkpoint,
                                          const TrainedModel& trained, SampleOptions reading) {
  DataOptions loading = data_options_for(trained, checkpoint, arguments.seed);
  if (!arguments.lexicon.empty()) reading.lexicon = loading.lexicon = read_lexicon(arguments.lexicon);
  if (arguments.data.empty()) return std::make_unique<InputSamples>(std::move(reading));
  check_vocabulary(trained, arguments.data);
  return open_samples(arguments.data, arguments.part, std::move(reading), loading);
}

void answer_samples(const PredictArguments& arguments, const Checkpoint& checkpoint, const TrainedModel& trained,
                    const SessionOptions& session) {
  user_check(!arguments.spans || has_spans(trained),
             "--spans needs tags such as B-PER and I-PER; {} was not trained on such tags", arguments.model);
  Predictor predictor(trained, session);
  const SampleOptions reading = reading_options(arguments, trained);
  const std::unique_ptr<SampleSource> source = open_source(arguments, checkpoint, trained, reading);
  const AnswerFormat& format = arguments.answer_format();
  std::optional<SampleProgress> progress;
  WordsSeen words;
  if (!arguments.data.empty()) progress.emplace();
  for (std::int64_t left = arguments.limit > 0 ? arguments.limit : INT64_MAX; left > 0;) {
    const Samples samples = source->next(std::min<std::int64_t>(arguments.batch_size, left));
    if (samples.graphs.size() == 0) break;
    if (!reading.ids_only) words.count(samples.graphs);
    const auto answers = answer(trained, predictor, samples, reading);
    if (progress) progress->clear();
    for (std::int32_t s = 0; s < std::ssize(answers) && left > 0; ++s, --left)
      format.print({trained, samples, s, answers[s], arguments.spans});
    std::fflush(stdout);
    if (progress) progress->add(std::ssize(answers), source->share());
  }
  if (progress) progress->clear();
  words.report();
}

void translate(const PredictArguments& arguments, const Checkpoint& checkpoint, const TrainedModel& trained,
               const SessionOptions& session) {
  const TranslateOptions options = arguments.translation.options();
  SampleProgress progress;
  const TextOutput output{.batch_size = arguments.batch_size,
                          .columns = arguments.format == "tsv",
                          .progress = arguments.data.empty() ? nullptr : &progress,
                          .words = &trained.words};
  Translator translator(trained, session);
  if (arguments.data.empty()) return translate_input(translator, options, output);
  Dataset data = load_data_for(trained, checkpoint, arguments.data, std::nullopt);
  const PairedText text = pairs_of(std::move(data), arguments.data, arguments.part, arguments.limit);
  translate_pairs(translator, text, options, output);
}

/// Returns the lines of FILE for data text:FILE. @throws UserError for data of another kind.
InputLines text_lines(const PredictArguments& arguments) {
  const std::vector<std::string> files = data_files(arguments.data);
  user_check(arguments.data.starts_with("text:") && !files.empty(),
             "--data {}: prompts are lines of text; expected text:FILE", arguments.data);
  return {arguments.part == "dev" ? files.back() : files.front(), arguments.limit};
}

Json continuation_json(const std::string& prompt, const Continuation& continuation) {
  return {{"prompt", prompt},
          {"continuation", fmt::format("{}", fmt::join(continuation.words, " "))},
          {"words", continuation.words},
          {"ended", continuation.ended},
          {"log_probability", continuation.log_probability}};
}

/// Reads prompts, one per line, and prints each prompt with its continuation.
void continue_prompts(const PredictArguments& arguments, const TrainedModel& trained, const SessionOptions& session) {
  ContinueOptions options;
  options.words = arguments.words.value_or(options.words);
  options.temperature = arguments.temperature.value_or(options.temperature);
  options.seed = seed_of(arguments);
  std::optional<SampleProgress> progress;
  if (!arguments.data.empty()) progress.emplace();
  InputLines input = arguments.data.empty() ? InputLines() : text_lines(arguments);
  Continuer continuer(trained, session);
  WordsSeen words;
  for (;;) {
    const std::int64_t first = input.read();
    const std::vector<std::string> prompts = input.next(arguments.batch_size);
    if (prompts.empty()) return words.report();
    for (const std::string& prompt : prompts) words.count(prompt, trained.words);
    const auto continuations = continuer.run(prompts, options, first);
    if (progress) progress->clear();
    for (std::size_t k = 0; k < prompts.size(); ++k) {
      if (arguments.format == "tsv")
        print_columns({prompts[k], fmt::format("{}", fmt::join(continuations[k].words, " "))});
      else
        print_json(continuation_json(prompts[k], continuations[k]));
    }
    std::fflush(stdout);
    if (progress) progress->add(std::ssize(prompts), input.share());
  }
}

/// @throws UserError for an option that does not apply to this model.
void check(const PredictArguments& arguments, const TrainedModel& trained) {
  const bool pairs = translates(trained), text = reads_text(trained);
  user_check(text || !(arguments.words || arguments.temperature || (arguments.seed && arguments.data.empty())),
             "--words, --temperature and --seed are for models that were trained on text; {} was not", arguments.model);
  if (pairs || text) {
    const char* does = pairs ? "translates" : "continues prompts";
    user_check(arguments.answer_format().of_text,
               "--format {} is for models that predict classes; {} was trained on text and {}; expected jsonl or tsv",
               arguments.answer_format().name, arguments.model, does);
    user_check(arguments.input.empty() && !arguments.spans && arguments.lexicon.empty(),
               "--input, --spans and --lexicon are for models that predict classes; {} was trained on text and {}",
               arguments.model, does);
  }
  user_check(arguments.lexicon.empty() || trained.schema == lattice_schema(),
             "--lexicon gives the words of lattices; {} was not trained on lattices", arguments.model);
  if (arguments.translation.given())
    check_translates(trained, arguments.model, "--beam, --n-best, --length-penalty and --max-length");
}

void run(const PredictArguments& arguments) {
  std::signal(SIGPIPE, SIG_DFL);  // the command ends without a message when the reader of a pipe has ended
  const Checkpoint checkpoint = read_checkpoint(arguments.model);
  const TrainedModel trained = trained_model(checkpoint);
  const SessionOptions session =
      session_options(arguments, learned_policy(arguments, trained.model, nullptr, &checkpoint));
  check(arguments, trained);
  if (translates(trained)) return translate(arguments, checkpoint, trained, session);
  if (reads_text(trained)) return continue_prompts(arguments, trained, session);
  answer_samples(arguments, checkpoint, trained, session);
}

void add_answers(CLI::App& app, PredictArguments& arguments) {
  const OptionGroup output(app, "Output");
  auto* const format = output.add_with_default(
      "--format", arguments.format, "NAME", one_of("format", names_of(all_answer_formats())),
      "jsonl, tsv, conll (one token per line) or tree (a drawing with words, predicted class, ✓ or ✗, and label)");
  output.add_flag("--tree", arguments.tree, "The same as --format tree")->excludes(format);
  output.add_flag("--spans", arguments.spans, "Also print the entities that the tags mark: begin, end, class and text");
}

void add_input(CLI::App& app, PredictArguments& arguments) {
  const OptionGroup input(app, "Input");
  auto* const form =
      input.add("--input", arguments.input, "NAME", one_of("form", input_form_names()),
                "Form of the samples, if it is not recognised: " + CLI::detail::join(input_form_names(), ", "));
  input.add("--lexicon", arguments.lexicon, "FILE", file_name(),
            "Lexicon for lattices, one word per line (default: the lexicon of --data, or of the training data)");
  input
      .add("--data", arguments.data, "SPEC", data_text(),
           "Read samples of a data set, as for 'cavs train', instead of standard input")
      ->excludes(form);
  input.add_with_default("--part", arguments.part, "NAME", one_of("part", {"dev", "train"}),
                         "Part of --data: dev (if there is one) or train");
  input.add("--limit", arguments.limit, "N", integer(1), "Use only the first N samples of --data");
}

}  // namespace

Action declare_predict(CLI::App& app) {
  auto arguments = std::make_shared<PredictArguments>();
  add_checkpoint(app, *arguments);
  add_input(app, *arguments);
  add_answers(app, *arguments);
  const OptionGroup prompts(app, "Prompts");
  prompts.add("--words", arguments->words, "N", integer(0, 1'000'000),
              "Maximum number of words that continue a prompt (default: 20)");
  prompts.add("--temperature", arguments->temperature, "X", number(0),
              "0 chooses the most probable word, 1 draws words by their probabilities; lower values sharpen the "
              "probabilities, higher values flatten them (default: 0)");
  add_beam(app, arguments->translation);
  add_best(app, arguments->translation);
  add_batch_size(app, *arguments);
  add_seed(app, *arguments,
           "Seed of drawn words (default: 1) and of generated data (default: the seed of the training)");
  add_session(app, *arguments);
  app.footer(kPredictFooter);
  return [arguments] { run(*arguments); };
}

}  // namespace cavs::cli
