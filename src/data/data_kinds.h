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

/// A kind of data that a spec may name. A new kind is a function in a file load_*.cc, and one line in the list.
struct DataKind {
  std::string_view name;
  Dataset (*load)(DataSpec& spec, const DataOptions& options);
  /// Returns the files of a spec: training part, development part (if any), others. Null for a generator.
  std::vector<std::string> (*files)(DataSpec& spec) = nullptr;
  std::string_view form{};  // SampleOptions::form of the files; empty if a SampleReader cannot read them
  /// Sets the options for reading these files as samples from the spec; may be null.
  void (*prepare)(DataSpec& spec, SampleOptions& options) = nullptr;
};

std::span<const DataKind> all_data_kinds();
/// Finds the kind of data `name`. @throws UserError with a suggestion. `spec` is the whole spec, for messages.
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

/// Returns the files of expressions; empty if the spec names none, so that expressions are generated.
std::vector<std::string> listops_files(DataSpec& spec);
std::vector<std::string> parallel_files(DataSpec& spec);
std::vector<std::string> sick_files(DataSpec& spec);
std::vector<std::string> sst_files(DataSpec& spec);
/// Returns the tables, and the files that a column of the tables names.
std::vector<std::string> table_files(DataSpec& spec);
std::vector<std::string> lattice_files(DataSpec& spec);
/// Returns the files of FILE or train=FILE,dev=FILE in front of options. Without options, all is the file name.
std::vector<std::string> files_before_options(DataSpec& spec);
std::vector<std::string> plain_files(DataSpec& spec);

// Functions that several kinds of data use.

inline constexpr std::int64_t kMaxSamples = 100'000'000;
inline constexpr int kMaxChainLength = 50'000'000;
inline constexpr int kSentimentClasses = 5, kMaxColumns = 1'000'000;

/// Returns the text of a file, or its replacement in DataOptions::texts. @throws UserError as read_text_file.
std::string text_of(const std::string& file, const DataOptions& options);
/// Returns the number of training samples to keep: `samples`, or DataOptions::limit if that is less.
std::int64_t limited(std::int64_t samples, const DataOptions& options);
/// Returns the seed of a generator: from the spec if it has one, else from the options.
std::uint64_t generator_seed(const DataSpec& spec, const DataOptions& options);
/// Returns the id of <eos>. @throws UserError unless `words` is a language model's vocabulary of `classes` words (any
/// number if it is 0).
std::int32_t end_of_line(const Vocabulary& words, const std::string& kind, int classes);
/// Returns the number of words to generate: of the checkpoint, else "vocabulary" of the spec, else of the options.
std::int64_t generated_size(const DataSpec& spec, const DataOptions& options, std::int64_t min);
/// Returns the words of the checkpoint, or else "<unk>" and numbered words, generated_size() in total.
Vocabulary generated_words(const DataSpec& spec, const DataOptions& options);
/// Returns the number of tags. @throws UserError if the model has another number of classes.
int checked_classes(const std::vector<std::string>& tags, const std::string& kind, const DataOptions& options);
/// Returns the number of classes by which a model predicts scores from 1 to 5 as a distribution. @throws UserError if
/// the model has another number of classes.
int checked_scores(const std::string& kind, const DataOptions& options);
/// Returns the file of this name, or its gzip, in the spec's folder. @throws UserError with the `expected` content.
std::string find_part(const DataSpec& spec, const std::string& name, const std::string& expected);
/// Returns a vocabulary with the words `first`, and "wN" for each other id N below `size`.
Vocabulary numbered_words(std::vector<std::string> first, std::int64_t size);

}  // namespace cavs::inline v0_1
