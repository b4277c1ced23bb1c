#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_set>

#include "cavs/readers.h"
#include "data/conll.h"
#include "data/data_kinds.h"
#include "data/lexicon.h"
#include "data/sentence_graph.h"
#include "data/tag_scheme.h"
#include "data/word_counts.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::array<std::string_view, 3> kConllKeys{"tags", "token", "tag"};
constexpr std::array<std::string_view, 5> kLatticeKeys{"tags", "token", "tag", "lexicon", "words"};

ConllOptions reading_of(const DataSpec& spec, TokenColumn column, std::optional<TagScheme> scheme) {
  return {.column = column,
          .token = static_cast<std::size_t>(spec.integer("token", 0, 1, kMaxColumns)),
          .tag = static_cast<std::size_t>(spec.integer("tag", 0, 1, kMaxColumns)),
          .any_tag = takes_any_tag(scheme)};
}

/// Loads tagged sentences as chains, or as lattices if there is a lexicon.
Dataset load_tagged(const DataSpec& spec, const DataSpec::Files& files, TokenColumn column,
                    const std::shared_ptr<const Lexicon>& lexicon, const DataOptions& options) {
  std::optional<TagScheme> scheme = scheme_for(spec, options.tag_scheme);
  TagRewriter rewriter(scheme.value_or(TagScheme::kNone));
  ConllOptions reading = reading_of(spec, column, scheme);
  std::vector<std::string> warnings;
  const Parts<TaggedSentence> parts(files, options,
                                    [&](const std::string& text, const std::string& file, std::size_t part) {
                                      reading.warnings = part == 0 ? &warnings : nullptr;
                                      std::vector<TaggedSentence> sentences = parse_conll(text, file, reading);
                                      for (TaggedSentence& sentence : sentences) rewriter.rewrite(sentence);
                                      return sentences;
                                    });
  if (!scheme) scheme = detect_scheme(parts.samples);
  WordCounts counts;  // of the words of the lexicon; counts of characters are added to them
  std::unordered_set<std::string> found;
  if (lexicon != nullptr)
    for (const TaggedSentence& sentence : parts.samples[0])
      for (const Lexicon::Match& match : lexicon->matches(sentence.tokens)) ++counts[*found.insert(match.word).first];
  Dataset data = words_and_tags(parts, spec.kind(), options, std::move(counts));
  data.warnings = std::move(warnings);
  if (scheme) data.tag_scheme = kTagSchemeNames[static_cast<std::size_t>(*scheme)];
  data.lexicon = lexicon;
  const TagIds ids(data.class_names);
  const bool spelled = options.spelled_below > 0;
  const auto to_graph = [&](const TaggedSentence& sentence, const std::string& file) {
    const std::vector<std::int32_t> labels = ids.of(sentence, file);
    return lexicon != nullptr ? to_lattice(sentence, lexicon->matches(sentence.tokens), data.words, labels)
                              : to_tagger_chain(sentence, data.words, labels, spelled);
  };
  const GraphSchema sentences = spelled ? spelled_chain_schema() : chain_schema();
  parts.add_graphs(lexicon != nullptr ? lattice_schema() : sentences, options, to_graph, data);
  return data;
}

/// Returns the lexicon, which is the last file of the spec; it is empty with words=0.
std::shared_ptr<const Lexicon> lexicon_of(const DataSpec& spec, const std::string& file, const DataOptions& options) {
  if (options.lexicon != nullptr) return options.lexicon;
  if (spec.integer("words", 1, 0, 1) == 0) return std::make_shared<Lexicon>();
  user_check(!file.empty(),
             "data '{}': no lexicon; expected lexicon=FILE with the words of lattices, one per line, or words=0 for "
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

/// Returns the files in the folder of weibo:DIR.
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
  return load_tagged(spec, spec.files(), TokenColumn::kWord, nullptr, options);
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
  return load_tagged(spec, parts, weibo ? TokenColumn::kNumberedCharacter : TokenColumn::kCharacter,
                     lexicon_of(spec, lexicon, options), options);
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
