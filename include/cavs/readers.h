#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
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
  bool require_labels = false;  // every bracket must have an integer label, and then one word or further brackets
  std::int64_t first_line = 1;  // of the text in its file
  const std::vector<std::string>* tags = nullptr;  // names of the classes, which labels may have; null: they have none
};

/// Bracketed trees such as "(3 (2 It) (4 works))", with any number of children. A line may hold several trees, and a
/// tree may go over several lines. Without require_labels, words need no brackets, and a label that is no integer
/// ("NP") is one of `tags`, or counts as no label where there are none. @throws UserError for other text. Cost: linear;
/// only memory limits the depth.
std::vector<Tree> parse_treebank(std::string_view text, const std::string& name, const TreebankOptions& options = {});

/// Expressions such as "[MAX 2 9 [MIN 4 7] 0]". Every operator vertex has its token as word and its value as label;
/// digits have their token and no label. SUM_MOD is read as SM.
std::vector<Tree> parse_listops(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The tag of a token that belongs to no entity.
inline constexpr std::string_view kOutside = "O";

/// A sentence as it was read: views of the text that was parsed.
struct TaggedSentence {
  std::vector<std::string_view> tokens, tags;  // of one length
  std::int64_t line = 0;                       // of its first token, from 1
};

struct JsonlOptions {
  const GraphSchema* schema = nullptr;  // the schema that every line must fit; nullptr: derived from the lines
  GraphLimits limits{};
  std::int64_t limit = 0;  // keeps only the first N graphs; 0: all. A derived schema is always that of all lines
  const Vocabulary* words = nullptr;               // what words that are written as text stand for; null: refused
  const std::vector<std::string>* tags = nullptr;  // what labels that are written as text stand for; null: refused
  const PortWords* port_words = nullptr;           // what text at other index ports stands for; null: refused
  const EdgeNames* edge_names = nullptr;           // what names at index ports of edges stand for; null: refused
};

/// JSON Lines, one graph per line (docs/data-formats.md). A schema that is derived from the lines has the types "leaf"
/// and "inner", then others in the order in which they appear; its ports are "word" (if it occurs) and "label"
/// (always), then the others by name.
GraphSet parse_jsonl(std::string_view text, const std::string& name, const JsonlOptions& options = {});

/// The lines of a text that are not blank. @throws UserError if all are blank. Cost: linear; a line may have any
/// length.
std::vector<TextLine> parse_text(std::string_view text, const std::string& name, std::int64_t first_line = 1);

/// The text of a whole file, unzipped if it is gzip. @throws UserError if the file cannot be read or is cut off, or if
/// the text has more than `max_bytes`.
std::string read_text_file(const std::string& path, std::int64_t max_bytes = std::int64_t{2} << 30);

/// What a sample says in words.
struct SampleText {
  std::vector<std::string> tokens{};     // of a sentence, a dependency tree or a lattice, in their order; else empty
  std::vector<std::int32_t> vertices{};  // [tokens]: where the class of each is predicted
  std::vector<std::string> expected{};   // [tokens]: the classes that are given, by name; empty where none are
  std::string where{};                   // in messages: "stdin:3", where the sample begins
};

/// Samples for prediction.
struct Samples {
  std::vector<Tree> trees;  // one for each graph; empty where the sample was no tree in brackets
  GraphSet graphs{tree_schema()};
  std::vector<SampleText> texts{};  // one for each graph
};

class Lexicon;
/// The words of lattices: the first of each line of a file. @throws UserError if it cannot be read or has no word.
std::shared_ptr<const Lexicon> read_lexicon(const std::string& path);

/// How samples are read; sample_options() gives what a trained model wants.
struct SampleOptions {
  Vocabulary words{};
  GraphSchema schema = tree_schema();
  int classes = 0;  // as in TreebankOptions
  GraphLimits limits{};
  std::string name = "stdin";
  bool ids_only = false;                             // accepts JSON lines alone: the vocabulary has no words
  std::string form{};                                // that all samples have; empty: what each looks like
  std::string data_kind{};                           // that the model was trained on, as a data spec names it
  std::vector<std::string> text_columns{};           // of a table: its columns of texts, one or two; else empty
  PortWords port_words{};                            // of other index ports than "word" and "label"
  std::vector<std::string> tags{};                   // names of the classes, which labels may have; else empty
  EdgeNames edge_names{};                            // as in Dataset
  std::string tag_scheme{};                          // as in Dataset
  std::string label_column{};                        // of CoNLL-U: upos (where empty), xpos or deprel
  std::shared_ptr<const Lexicon> lexicon = nullptr;  // of lattices; null: unknown
};

/// The names of the forms that samples may have: texts, trees, expressions, dependencies, conllu, pairs, sentences,
/// conll and jsonl (docs/predicting.md).
std::vector<std::string_view> input_form_names();

/// Reads samples from a stream as they come, in any form that fits the model. @throws UserError that shows an example
/// of what it can take.
class SampleReader {
 public:
  /// The stream must outlive the reader.
  SampleReader(std::istream& in, SampleOptions options);
  /// The next samples: `max_samples`, or a few more, since a line is not split; fewer at the end of the stream, then
  /// none. @throws UserError naming the line that cannot be read.
  Samples next(std::int64_t max_samples);

 private:
  bool add_chunk(Samples& samples);

  std::istream& in_;
  SampleOptions options_;
  std::int64_t line_ = 0;  // lines read so far
};

/// All samples of a text at once.
Samples parse_samples(std::string_view text, SampleOptions options);

}  // namespace cavs
