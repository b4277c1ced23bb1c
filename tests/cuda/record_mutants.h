#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/batched_step.h"
#include "cuda/outcome.h"
#include "helpers/sanitizer.h"

// Changes single words in the records of launches. Fibers must report a fault, or the results must be wrong, or no
// launch may depend on the word.

namespace cavs::cuda {

struct RecordMutant {
  std::string what;  // the word, and the kernel of the record
  int entry = -1;    // entry of the script, or -1 for a loss
  std::size_t word = 0;
  std::int32_t value = 0;
};

/// Number of mutants by result.
struct MutantCounts {
  int reported = 0, wrong = 0;
  int unread = 0;      // no launch reads the word
  int equivalent = 0;  // see RecordMutants::is_equivalent
};

class RecordMutants {
 public:
  RecordMutants(StepCase of, std::size_t samples)
      : step_(of),
        fibers_(step_),
        parameters_(other_than_zero(of.zoo.model.make_parameters())),
        graphs_(with_words(std::move(of.zoo.graphs))),
        minibatch_(step_.pack(graphs_, smallest_samples(graphs_, samples), options_)),
        expected_(run(minibatch_)) {
    find_mutants();
  }

  std::size_t size() const { return mutants_.size(); }

  /// Runs every `step`-th mutant.
  MutantCounts expect_found(std::size_t step = 1) const {
    MutantCounts counts;
    for (std::size_t m = 0; m < mutants_.size(); m += step) {
      const RecordMutant& mutant = mutants_[m];
      const std::optional<double> found = distance(mutant.word, mutant.value);
      if (!found) {
        ++counts.reported;
      } else if (!(*found < kWrong)) {
        ++counts.wrong;
      } else {
        const bool unread = is_unread(mutant);
        ++(unread ? counts.unread : counts.equivalent);
        EXPECT_TRUE(unread || is_equivalent(mutant))
            << mutant.what << ": word " << mutant.word << " as " << mutant.value << " for "
            << minibatch_.words[mutant.word] << ", off by " << *found;
      }
    }
    return counts;
  }

 private:
  /// Gives every vertex a word, because without words a product with the word's row gives only zeros.
  static GraphSet with_words(const GraphSet& graphs) {
    constexpr std::int32_t kWords = 20;
    GraphArrays arrays = graphs.to_arrays();
    for (std::int32_t v = 0; std::int32_t & word : arrays.index_pulls[0]) word = 7 * v++ % kWords;
    return GraphSet::from_arrays(graphs.schema(), std::move(arrays), graphs.limits());
  }

  /// Makes all parameters differ from zero. Biases start as zeros, which cannot be told apart.
  static std::shared_ptr<Parameters> other_than_zero(std::shared_ptr<Parameters> parameters) {
    for (int p = 0; p < parameters->size(); ++p)
      for (int i = 0; float& x : parameters->values(p)) x += 0.001F * static_cast<float>(1 + 37 * i++ % 101);
    return parameters;
  }

  static constexpr double kWrong = 1e-4;  // bound for the relative error of loss and gradients
  static constexpr std::string_view kTileOffset = "tile offset", kLastPanel = "last panel";

  void add(const std::string& what, std::int32_t word, std::int32_t shift) {
    const auto at = static_cast<std::size_t>(word);
    mutants_.push_back({what, entry_, at, minibatch_.words[at] + shift});
  }

  /// A shift that makes a number smaller but not zero, because the tests' machine fails on divisions by zero.
  static std::int32_t less(std::int32_t number) { return number == 1 ? 1 : -1; }

  void add_operand(const std::string& of, std::int32_t at) {
    const auto& words = minibatch_.words;
    add(of + " offset", at + kOffsetWord, 1);
    add(of + " stride", at + kStrideWord, 1);
    add(of + " width", at + kWidthWord, less(words[at + kWidthWord]));
    if (words[at + kListWord] != 0) add(of + " list", at + kListWord, 1);
    if (words[at + kSegmentsWord] != 0) add(of + " segments", at + kSegmentsWord, 1);
  }

  void find_mutants() {
    const std::vector<std::int32_t>& words = minibatch_.words;
    std::map<int, int> kernels;  // by entry
    for (const LaunchItem& item : step_.launches(minibatch_).items) kernels[item.entry] = item.kernel;
    for (const auto& [entry, kernel] : kernels) {
      entry_ = entry;
      const std::string& name = step_.kernels().kernels[static_cast<std::size_t>(kernel)].name;
      const std::int32_t at = words[kEntriesWord] + entry * kEntryWords, next = at + kEntryWords;
      add(name + ", first row", at + kRowBeginWord, 1);
      add(name + ", last row", at + kRowEndWord, -1);
      add(name + ", adds", at + kFlagsWord, (words[at + kFlagsWord] & kAdds) != 0 ? -kAdds : kAdds);
      for (std::int32_t k = 0; k < words[at + kOperandCountWord]; ++k)
        add_operand(fmt::format("{}, operand {},", name, k), words[at + kOperandsWord] + k * kOperandWords);
      // After the attributes come the parts of processors, which kernels do not read, or the waits of the next entry.
      const std::int32_t attributes = words[at + kAttributesWord], owners = words[next + kOwnerWord];
      const std::int32_t count = (owners > attributes ? owners : words[next + kWaitsWord]) - attributes;
      constexpr std::int32_t kOfFloat = 1 << 29;
      for (std::int32_t a = 0; a < count; ++a) {
        std::string what = fmt::format("attribute {}", a);
        if (words[at + kOperationWord] == kProduct) what = kLastPanel;
        if (count == kEntropyWords && a - kLogits == kOffsetWord) what = kTileOffset;
        add(name + ", " + what, attributes + a,
            count == kRowWords && a == kNumberAttribute ? kOfFloat : less(words[attributes + a]));
      }
    }
    entry_ = -1;
    for (std::int32_t k = 0; k < words[kLossCountWord]; ++k) {
      const std::int32_t at = words[kLossesWord] + k * kLossWords;
      add_operand("loss,", at + kLossOperand);
      add("loss, rows", at + kLossRows, 1);
      if (words[at + kLossLabels] != 0) add("loss, labels", at + kLossLabels, 1);
    }
  }

  StepOutcome run(const PackedStep& minibatch) const { return fibers_.run(minibatch, *parameters_, options_, 2); }

  /// Relative error of the results: 0 if the bits are equal, nothing if fibers report a fault.
  std::optional<double> distance(std::size_t word, std::int32_t value) const {
    PackedStep mutant = minibatch_;
    mutant.words[word] = value;
    try {
      const StepOutcome found = run(mutant);
      std::vector<double> all{std::abs(found.result.loss - expected_.result.loss) / expected_.result.loss};
      for (int p = 0; p < parameters_->size(); ++p)
        all.push_back(error(found.gradients.values(p), expected_.gradients.values(p)));
      const bool is_finite = std::ranges::all_of(all, [](double by) { return std::isfinite(by); });
      return is_finite ? std::ranges::max(all) : std::numeric_limits<double>::infinity();
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }

  /// True if the results must be the same:
  ///   - Vertices without children read zeros as their children's states, and nothing reads the gradients of these. The
  ///   first row of all belongs to such a vertex.
  ///   - No vertex gathers the states of vertices without parents, whose task is the first of ∂F and gathers no
  ///   gradients.
  ///   - Of the labels, the sum of the losses reads only the signs.
  ///   - All launches of a tile of logits find the tile at the offset in the record.
  bool is_equivalent(const RecordMutant& mutant) const {
    if (mutant.entry < 0) return mutant.what.ends_with("labels");
    const Plan& plan = minibatch_.plan;
    const cavs::Step& step = plan.steps[minibatch_.script.entries[mutant.entry].step];
    if (step.stage != Stage::kTask) return mutant.what.ends_with("first row") || mutant.what.ends_with(kTileOffset);
    const RowRange edges = plan.range(step, kEdgeRows);
    const auto is_later = [&](const cavs::Step& other) {
      return &other > &step && !other.backward && other.type == step.type && other.stage == Stage::kTask;
    };
    const auto is_earlier = [&](const cavs::Step& other) {
      return &other < &step && other.backward && other.type == step.type && other.stage == Stage::kTask;
    };
    if (step.backward && mutant.what.ends_with("segments") && std::ranges::none_of(plan.steps, is_earlier)) return true;
    return edges.begin == edges.end || (!step.backward && std::ranges::none_of(plan.steps, is_later));
  }

  /// True if the word may have any value. A kernel reads a word in all of its records or in none, except that strides
  /// are not needed if row 0 is the only row.
  bool is_unread(const RecordMutant& mutant) const {
    if (mutant.what.ends_with(kLastPanel)) return false;  // kernels would search all panels for it without end
    if (unread_.contains(mutant.what)) return true;
    for (const std::int32_t value : {3, -77'777, 1 << 28})
      if (distance(mutant.word, value) != 0.0) return false;
    if (!mutant.what.ends_with("stride")) unread_.insert(mutant.what);
    return true;
  }

  const StepOptions options_ = sgd();
  const BatchedStep step_;
  const LaunchesOnFibers fibers_;
  const std::shared_ptr<Parameters> parameters_;
  const GraphSet graphs_;
  const PackedStep minibatch_;
  const StepOutcome expected_;
  int entry_ = -1;  // entry whose mutants are being made
  std::vector<RecordMutant> mutants_;
  mutable std::set<std::string> unread_;  // values of RecordMutant::what
};

/// Runs at most `most` mutants of a case, spread evenly over its words.
inline void expect_found(const RecordMutants& mutants, std::size_t most) {
  const MutantCounts counts = mutants.expect_found(std::max<std::size_t>(mutants.size() / most, 1));
  if (!kSanitized) {  // few mutants run under a sanitizer
    EXPECT_GT(counts.reported, 0);
    EXPECT_GT(counts.wrong, counts.unread);
  }
  std::printf("%zu words: %d reported, %d wrong, %d unread, %d equivalent\n", mutants.size(), counts.reported,
              counts.wrong, counts.unread, counts.equivalent);
}

}  // namespace cavs::cuda
