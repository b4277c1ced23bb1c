#include "cli/continue_prompts.h"

#include <fmt/ranges.h>

#include <cstdio>
#include <iostream>

#include "cli/report.h"
#include "data/text.h"

namespace cavs::cli {
namespace {

/// The next lines of standard input, `most` or, at its end, fewer. `read`: lines before them.
std::vector<std::string> next_lines(std::int64_t most, std::int64_t read) {
  std::vector<std::string> lines;
  for (std::string line; std::ssize(lines) < most && std::getline(std::cin, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.emplace_back(checked_text(line, "stdin", read + std::ssize(lines) + 1));
  }
  return lines;
}

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
    const std::vector<std::string> prompts = next_lines(batch_size, read);
    if (prompts.empty()) return;
    const auto continuations = continuer.run(prompts, options, read);
    for (std::size_t k = 0; k < prompts.size(); ++k) print_json(to_json(prompts[k], continuations[k]));
    std::fflush(stdout);
    read += std::ssize(prompts);
  }
}

}  // namespace cavs::cli
