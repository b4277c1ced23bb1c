#include "cli/words_seen.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace cavs::cli {

void WordsSeen::count(const GraphSet& graphs) {
  const std::vector<std::string>& ports = graphs.schema().index_ports;
  const auto port = std::ranges::find(ports, "word");
  if (port == ports.end()) return;
  for (const std::int32_t word : graphs.index_pulls(port - ports.begin())) {
    words_ += word >= 0 ? 1 : 0;
    unknown_ += word == 0 ? 1 : 0;
  }
}

void WordsSeen::count(std::string_view line, const Vocabulary& words) {
  for (const std::string_view word : split_words(line)) {
    ++words_;
    unknown_ += words.id(word) == 0 ? 1 : 0;
  }
}

void WordsSeen::report() const {
  if (unknown_ > 0)
    spdlog::info("{} of {} words are unknown to the model and were replaced by <unk>", unknown_, words_);
}

}  // namespace cavs::cli
