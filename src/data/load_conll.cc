#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/lexicon.h"
#include "data/sentence_graph.h"
#include "data/tag_scheme.h"
#include "data/word_counts.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::array<std::string_view, 3> kConllKeys{"tags", "token", "tag"};
constexpr std::array<std::string_view, 5> kLatticeKeys{"tags", "token", "tag", "lexicon", "words"};

using Sentences = std::vector<TaggedSentence>;

ConllOptions reading_of(const DataSpec& spec, TokenColumn column, std::optional<TagScheme> scheme) {
  return {.column = column,
          .token = static_cast<std::size_t>(spec.integer("token", 0, 1, kMaxColumns)),
          .tag = static_cast<std::size_t>(spec.integer("tag", 0, 1, kMaxColumns)),
          .any_tag = takes_any_tag(scheme)};
}

/// Two parts of tagged sentences, of which dev may be missing. They become chains, or lattices where there is a
/// lexicon.
class TaggedData {
 public:
  TaggedData(const DataSpec& spec, const DataSpec::Files& files, TokenColumn column, const DataOptions& options)
      : options_(options),
        scheme_(scheme_for(spec, options.tag_scheme)),
        rewriter_(scheme_.value_or(TagScheme::kNone)),
        files_{files.train, files.dev} {
    ConllOptions reading = reading_of(spec, column, scheme_);
    reading.warnings = &warnings_;
    for (std::size_t p = 0; p < files_.size() && !files_[p].empty(); ++p, reading.warnings = nullptr) {
      texts_[p] = text_of(files_[p], options);
      parts_[p] = parse_conll(texts_[p], files_[p], reading);
      for (TaggedSentence& sentence : parts_[p]) rewriter_.rewrite(sentence);
    }
    if (!scheme_) scheme_ = detect_scheme(parts_);
  }

  Dataset load(const std::string& kind, std::shared_ptr<const Lexicon> lexicon) {
    lexicon_ = std::move(lexicon);
    TagNames names;
    for (const Sentences& part : parts_)
      for (const TaggedSentence& sentence : part) names.add(sentence);
    data_ = words_and_tags(count_words(), names, kind, options_);
    data_.warnings = std::move(warnings_);
    if (scheme_) data_.tag_scheme = kTagSchemeNames[static_cast<std::size_t>(*scheme_)];
    data_.lexicon = lexicon_;
    parts_[0].resize(limited(std::ssize(parts_[0]), options_));
    data_.train = to_graphs(0);
    data_.dev = to_graphs(1);
    return std::move(data_);
  }

 private:
  /// Counts tokens, and the words of the lexicon that the training part has, in one table.
  WordCounts count_words() {
    WordCounts counts;
    for (const TaggedSentence& sentence : parts_[0]) {
      for (const auto token : sentence.tokens) ++counts[token];
      if (lexicon_ == nullptr) continue;
      for (const Lexicon::Match& match : lexicon_->matches(sentence.tokens)) ++counts[*found_.insert(match.word).first];
    }
    return counts;
  }

  InputGraph to_graph(const TaggedSentence& sentence, const std::vector<std::int32_t>& tags) const {
    if (lexicon_ != nullptr) return to_lattice(sentence, lexicon_->matches(sentence.tokens), data_.words, tags);
    return to_tagger_chain(sentence, data_.words, tags, options_.spelled_below > 0);
  }

  GraphSet to_graphs(std::size_t part) const {
    const GraphSchema sentences = options_.spelled_below > 0 ? spelled_chain_schema() : chain_schema();
    GraphSet graphs(lexicon_ != nullptr ? lattice_schema() : sentences, options_.limits);
    const TagIds ids(data_.tags);
    for (const TaggedSentence& sentence : parts_[part])
      graphs.add(to_graph(sentence, ids.of(sentence, files_[part])), fmt::format("{}:{}", files_[part], sentence.line));
    return graphs;
  }

  const DataOptions& options_;
  std::optional<TagScheme> scheme_;
  TagRewriter rewriter_;
  Dataset data_;
  std::vector<std::string> warnings_;
  std::array<std::string, 2> files_, texts_;  // of train and dev
  std::array<Sentences, 2> parts_;            // views of the texts
  std::shared_ptr<const Lexicon> lexicon_;    // null: chains
  std::unordered_set<std::string> found_;     // words of the lexicon
};

/// The lexicon of a spec: the last of its files. Without words=0 there must be one.
std::shared_ptr<const Lexicon> lexicon_of(const DataSpec& spec, const std::string& file, const DataOptions& options) {
  if (options.lexicon != nullptr) return options.lexicon;
  if (spec.integer("words", 1, 0, 1) == 0) return std::make_shared<Lexicon>();
  user_check(!file.empty(),
             "data '{}': no lexicon; expected lexicon=FILE, the words of lattices, one a line, or words=0 for "
             "characters alone",
             spec.kind());
  return std::make_shared<Lexicon>(text_of(file, options), file);
}

void prepare(DataSpec& spec, std::span<const std::string_view> keys, SampleOptions& options) {
  spec.split_off_options(keys);
  const ConllOptions reading = reading_of(spec, TokenColumn::kWord, scheme_for(spec, options.tag_scheme));
  if (reading.token > 0) options.token_column = static_cast<int>(reading.token);
  if (reading.tag > 0) options.tag_column = static_cast<int>(reading.tag);
}

/// Files of weibo:DIR in place of the names that lattice: takes.
std::vector<std::string> files_in_folder(const DataSpec& spec) {
  const std::string expected = "weiboNER_2nd_conll.train, weiboNER_2nd_conll.dev and lexicon.txt";
  std::vector<std::string> files{find_part(spec, "weiboNER_2nd_conll.train", expected),
                                 find_part(spec, "weiboNER_2nd_conll.dev", expected)};
  if (spec.integer("words", 1, 0, 1) == 1) files.push_back(find_part(spec, "lexicon.txt", expected));
  return files;
}

}  // namespace

Dataset load_conll(DataSpec& spec, const DataOptions& given) {
  DataOptions options = given;
  options.min_count = std::max(given.min_count, given.spelled_below);
  spec.split_off_options(kConllKeys);
  return TaggedData(spec, spec.files(), TokenColumn::kWord, options).load("conll", nullptr);
}

void prepare_conll(DataSpec& spec, SampleOptions& options) { prepare(spec, kConllKeys, options); }

std::vector<std::string> lattice_files(DataSpec& spec) {
  spec.split_off_options(kLatticeKeys);
  if (spec.kind() == "weibo") return files_in_folder(spec);
  std::vector<std::string> files = plain_files(spec);
  if (const std::string lexicon = spec.text("lexicon"); !lexicon.empty()) files.push_back(lexicon);
  return files;
}

Dataset load_lattice(DataSpec& spec, const DataOptions& options) {
  const std::vector<std::string> files = lattice_files(spec);
  const bool weibo = spec.kind() == "weibo";
  const DataSpec::Files parts = weibo ? DataSpec::Files{files[0], files[1]} : spec.files();
  const std::string lexicon = weibo ? (files.size() > 2 ? files[2] : "") : spec.text("lexicon");
  return TaggedData(spec, parts, weibo ? TokenColumn::kNumberedCharacter : TokenColumn::kCharacter, options)
      .load(spec.kind(), lexicon_of(spec, lexicon, options));
}

void prepare_lattice(DataSpec& spec, SampleOptions& options) {
  prepare(spec, kLatticeKeys, options);
  const std::vector<std::string> files = lattice_files(spec);
  const bool names_words = spec.kind() == "weibo" || !spec.text("lexicon").empty();
  if (spec.integer("words", 1, 0, 1) == 0)
    options.lexicon = std::make_shared<Lexicon>();
  else if (names_words)
    options.lexicon = read_lexicon(files.back());
}

}  // namespace cavs::inline v0_1
