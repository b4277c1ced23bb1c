#include "cli/continue_prompts.h"

#include <fmt/ranges.h>

#include <cstdio>

#include "cli/answer_formats.h"
#include "cli/report.h"

namespace cavs::cli {
namespace {

Json to_json(const std::string& prompt, const Continuation& continuation) {
  return {{"prompt", prompt},
          {"continuation", fmt::format("{}", fmt::join(continuation.words, " "))},
          {"words", continuation.words},
          {"ended", continuation.ended},
          {"log_probability", continuation.log_probability}};
}

}  // namespace

void continue_prompts(const TrainedModel& model, const SessionOptions& session, const ContinueOptions& options,
                      InputLines& input, const TextOutput& output) {
  Continuer continuer(model, session);
  SampleProgress* const progress = output.progress;
  for (;;) {
    const std::int64_t first = input.read();
    const std::vector<std::string> prompts = input.next(output.batch_size);
    if (prompts.empty()) return;
    const auto continuations = continuer.run(prompts, options, first);
    if (progress != nullptr) progress->clear();
    for (std::size_t k = 0; k < prompts.size(); ++k) {
      if (output.columns)
        print_columns({prompts[k], fmt::format("{}", fmt::join(continuations[k].words, " "))});
      else
        print_json(to_json(prompts[k], continuations[k]));
    }
    std::fflush(stdout);
    if (progress != nullptr) progress->add(std::ssize(prompts), input.share());
  }
}

}  // namespace cavs::cli
