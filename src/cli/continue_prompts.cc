#include "cli/continue_prompts.h"

#include <fmt/ranges.h>

#include <cstdio>

#include "cli/input_lines.h"
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
                      std::int64_t batch_size) {
  Continuer continuer(model, session);
  std::int64_t read = 0;
  for (;;) {
    const std::vector<std::string> prompts = next_input_lines(batch_size, read);
    if (prompts.empty()) return;
    const auto continuations = continuer.run(prompts, options, read);
    for (std::size_t k = 0; k < prompts.size(); ++k) print_json(to_json(prompts[k], continuations[k]));
    std::fflush(stdout);
    read += std::ssize(prompts);
  }
}

}  // namespace cavs::cli
