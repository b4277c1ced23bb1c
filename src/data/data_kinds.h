#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/data.h"
#include "cavs/readers.h"
#include "cavs/vocabulary.h"
#include "data/data_spec.h"

namespace cavs::inline v0_1 {

/// A kind of data that a spec may name: one function in a file load_*.cc, and one line in the list.
struct DataKind {
  std::string_view name;
  Dataset (*load)(DataSpec& spec, const DataOptions& options);
  /// Those that it reads: of the training part, of the development part (if there is one), others. Null of a generator.
  std::vector<std::string> (*files)(DataSpec& spec) = nullptr;
  std::string_view
      form{};  // SampleOptions::form of the files of both parts; empty where a SampleReader cannot read them
  /// Takes what the spec says of reading such samples into the options; may be null.
  void (*prepare)(DataSpec& spec, SampleOptions& options) = nullptr;
};

std::span<const DataKind> all_data_kinds();
/// @throws UserError with a suggestion. `spec`: where the name stands.
const DataKind& find_data_kind(const std::string& name, const std::string& spec);

Dataset load_listops(DataSpec& spec, const DataOptions& options);
Dataset load_binary_trees(DataSpec& spec, const DataOptions& options);
Dataset load_random_trees(DataSpec& spec, const DataOptions& options);
Dataset load_tags(DataSpec& spec, const DataOptions& options);
Dataset load_lattices(DataSpec& spec, const DataOptions& options);
Dataset load_translations(DataSpec& spec, const DataOptions& options);
Dataset load_tree_pairs(DataSpec& spec, const DataOptions& options);
Dataset load_expressions(DataSpec& spec, const DataOptions& options);
Dataset load_moving_shapes(DataSpec& spec, const DataOptions& options);
Dataset load_conllu(DataSpec& spec, const DataOptions& options);
Dataset load_sick(DataSpec& spec, const DataOptions& options);
Dataset load_conll(DataSpec& spec, const DataOptions& options);
Dataset load_lattice(DataSpec& spec, const DataOptions& options);
Dataset load_parallel(DataSpec& spec, const DataOptions& options);
Dataset load_sst(DataSpec& spec, const DataOptions& options);
Dataset load_trees(DataSpec& spec, const DataOptions& options);
Dataset load_jsonl(DataSpec& spec, const DataOptions& options);
Dataset load_table(DataSpec& spec, const DataOptions& options);
Dataset load_text(DataSpec& spec, const DataOptions& options);
Dataset load_markov(DataSpec& spec, const DataOptions& options);

void prepare_conll(DataSpec& spec, SampleOptions& options);
void prepare_conllu(DataSpec& spec, SampleOptions& options);
void prepare_lattice(DataSpec& spec, SampleOptions& options);

/// None where the spec names none: expressions are then generated.
std::vector<std::string> listops_files(DataSpec& spec);
std::vector<std::string> parallel_files(DataSpec& spec);
std::vector<std::string> sick_files(DataSpec& spec);
std::vector<std::string> sst_files(DataSpec& spec);
/// Also those that a column names.
std::vector<std::string> table_files(DataSpec& spec);
std::vector<std::string> lattice_files(DataSpec& spec);
/// FILE or train=FILE,dev=FILE; options may stand behind them, or are a part of the name.
std::vector<std::string> files_before_options(DataSpec& spec);
std::vector<std::string> plain_files(DataSpec& spec);

// What several kinds share.

inline constexpr std::int64_t kMaxSamples = 100'000'000;
inline constexpr int kMaxChainLength = 50'000'000;
inline constexpr int kSentimentClasses = 5, kMaxColumns = 1'000'000;

/// The text of a file, or the one that stands for it (DataOptions::texts). @throws UserError as read_text_file.
std::string text_of(const std::string& file, const DataOptions& options);
/// What DataOptions::limit leaves of so many training samples.
std::int64_t limited(std::int64_t samples, const DataOptions& options);
/// Of a generator: the spec's, or else that of the options.
std::uint64_t generator_seed(const DataSpec& spec, const DataOptions& options);
/// Of a language model's vocabulary. @throws UserError unless it is one, and has `classes` words (0: any number).
std::int32_t end_of_line(const Vocabulary& words, const std::string& kind, int classes);
/// Words of a generator: as many as the checkpoint has, the spec's "vocabulary" or else the options say.
std::int64_t generated_size(const DataSpec& spec, const DataOptions& options, std::int64_t min);
/// So many: "<unk>" and numbered words; or those of the checkpoint.
Vocabulary generated_words(const DataSpec& spec, const DataOptions& options);
/// How many tags there are. @throws UserError if the model has another number of classes.
int checked_classes(const std::vector<std::string>& tags, const std::string& kind, const DataOptions& options);
/// Scores 1 to 5 as a distribution over so many. @throws UserError if the model has another number of classes.
int checked_scores(const std::string& kind, const DataOptions& options);
/// The file of this name, or the gzip of it, in the spec's folder. @throws UserError naming what is `expected` there.
std::string find_part(const DataSpec& spec, const std::string& name, const std::string& expected);
/// `first`, and then "wN" for the other ids below `size`.
Vocabulary numbered_words(std::vector<std::string> first, std::int64_t size);

}  // namespace cavs::inline v0_1
