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

/// Word counts and number of lines of a text.
struct TextSummary {
  std::unordered_map<std::string, std::int64_t> counts;  // occurrences of each word
  std::int64_t lines = 0;                                // number of non-blank lines
  std::uint64_t content_hash = 0;
};

/// Counts words and lines. Cost: one pass; memory for the distinct words and 1 MiB of text.
TextSummary summarise_text(TextReader& reader);

/// A stream of the lines of a text as chains for language models (to_chain). About 1 MiB of the text is in memory.
class TextStream final : public SampleStream {
 public:
  /// @param samples  number of lines to stream, from the first on
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
  std::string text_;  // part of the text that is in memory; lines_ views it
  std::vector<TextLine> lines_;
  std::size_t next_ = 0;         // index in lines_ of the next sample
  std::int64_t first_line_ = 1;  // number of the first line of the next part
};

}  // namespace cavs::inline v0_1
