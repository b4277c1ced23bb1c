#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/text_reader.h"

namespace cavs::inline v0_1 {

/// What one pass over a text shows.
struct TextSummary {
  std::unordered_map<std::string, std::int64_t> counts;  // of each word
  std::int64_t lines = 0;                                // that are not blank
  std::uint64_t content_hash = 0;
};

/// Cost: one pass; memory for the distinct words and a MiB of text.
TextSummary summarise_text(TextReader& reader);

/// The lines of a text as chains for language models (to_chain), a MiB of text in memory.
class TextStream final : public SampleStream {
 public:
  /// The first `samples` lines.
  TextStream(TextReader reader, const TextSummary& summary, Vocabulary words, std::int64_t samples);

  GraphSchema schema() const override { return chain_schema(); }
  std::int64_t samples() const override { return samples_; }
  std::uint64_t content_hash() const override { return content_hash_; }
  void rewind() override;
  InputGraph next() override;

 private:
  void read_lines();

  TextReader reader_;
  Vocabulary words_;
  std::int32_t end_;  // id of <eos>
  std::int64_t samples_;
  std::uint64_t content_hash_;
  std::string text_;  // that lines_ are views of
  std::vector<TextLine> lines_;
  std::size_t next_ = 0;         // of lines_
  std::int64_t first_line_ = 1;  // of what is read next
};

}  // namespace cavs::inline v0_1
