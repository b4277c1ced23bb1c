#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/graph.h"
#include "cavs/vocabulary.h"

/// Readers of text. Their parameter `name` and the line start every error message, as in "train.txt:17: ...". Text must
/// be UTF-8.
namespace cavs {

struct TreebankOptions {
  int classes = 0;              // labels are 0 .. classes - 1; 0: any label below 1,000,000
  bool require_labels = false;  // every bracket holds an integer label and one word, or a label and brackets
  std::int64_t first_line = 1;  // of the text in its file
};

/// Bracketed trees, "(3 (2 It) (4 works))": any number of children, any number of trees a line, trees over several
/// lines. Without require_labels a label that is no integer ("NP") counts as none, words may stand without brackets.
/// @throws UserError. Cost: linear; depth is bounded by memory alone.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options = {});

/// Expressions such as "[MAX 2 9 [MIN 4 7] 0]". Every operator vertex has its token as word and its value as label;
/// digits have their token and no label. SUM_MOD is read as SM.
std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The tag of what belongs to no entity.
inline constexpr std::string_view kOutside = "O";

/// A sentence as it was read: views of the text that was parsed.
struct TaggedSentence {
  std::vector<std::string_view> tokens, tags;  // of one length
  std::int64_t line = 0;                       // of its first token, from 1
};

struct JsonlOptions {
  const GraphSchema* schema = nullptr;  // that every line must fit
  GraphLimits limits{};
  std::int64_t limit = 0;  // keeps the first graphs; 0: all. The schema is that of all lines
};

/// JSON Lines, one graph per line (docs/data-formats.md). Without a schema it follows from the lines: types "leaf" and
/// "inner" first, then others as they appear; ports by name, "word" and "label" first; "label" is always there.
GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options = {});

/// The lines of a text that are not blank. @throws UserError if there is none. Cost: linear; a line may have any
/// length.
std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// A whole file, unzipped if it is gzip. @throws UserError if it cannot be read, is cut off or larger than `max_bytes`.
std::string read_text_file(const std::string& path, std::int64_t max_bytes = std::int64_t{2} << 30);

/// Samples for prediction. Trees and ListOps expressions fit tree_schema() only.
struct Samples {
  std::vector<Tree> trees;  // one a graph; empty for a JSON line
  GraphSet graphs{tree_schema()};
};

struct SampleOptions {
  Vocabulary words{};
  GraphSchema schema = tree_schema();
  int classes = 0;  // as in TreebankOptions
  GraphLimits limits{};
  std::string name = "stdin";
  bool ids_only = false;  // refuses words, of which the vocabulary has none; JSON lines give ids
};

/// Reads samples from a stream as they come; each may be a tree "(", a ListOps expression "[" or a JSON line "{".
class SampleReader {
 public:
  /// The stream must outlive the reader.
  SampleReader(std::istream& in, SampleOptions options);
  /// The next samples, `max_samples` or a few more (a line is not split); fewer at the end, none after it.
  Samples next(std::int64_t max_samples);

 private:
  std::string next_chunk();
  void parse_chunk(std::string_view chunk, Samples& samples) const;

  std::istream& in_;
  SampleOptions options_;
  std::int64_t line_ = 0;        // lines read so far
  std::int64_t chunk_line_ = 0;  // where the current chunk begins
};

/// All samples of a text at once.
Samples parse_samples(std::string_view text, SampleOptions options);

}  // namespace cavs
