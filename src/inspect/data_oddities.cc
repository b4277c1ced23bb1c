#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "graphs/port_views.h"
#include "inspect/data_summary.h"
#include "inspect/look_alikes.h"
#include "support/hash.h"

namespace cavs::inline v0_1 {
namespace {

constexpr std::int64_t kOutlierFactor = 10;  // a sample of this many times the median size is unusual
constexpr double kOneClass = 0.9, kManyUnknown = 0.1;
constexpr std::size_t kNamed = 5;

/// The input of a model for one sample, without labels. Samples are equal if all their arrays are equal.
class Sample {
 public:
  Sample(const GraphSet& graphs, std::int32_t sample)
      : graphs_(graphs),
        begin_(graphs.vertex_begin()[sample]),
        size_(graphs.vertex_begin()[sample + 1] - begin_),
        slots_(graphs.child_begin()[begin_]) {}

  std::uint64_t hash() const {
    ContentHash hash;
    visit([&](auto values) { hash.update(std::as_bytes(values)); });
    return hash.digest();
  }
  bool same_input(const Sample& other) const {
    if (size_ != other.size_ || !same_arities(other)) return false;
    std::vector<std::span<const std::byte>> mine, theirs;
    visit([&](auto values) { mine.push_back(std::as_bytes(values)); });
    other.visit([&](auto values) { theirs.push_back(std::as_bytes(values)); });
    return std::ranges::equal(mine, theirs, [](auto a, auto b) { return std::ranges::equal(a, b); });
  }
  bool same_labels(const Sample& other) const { return std::ranges::equal(labels(), other.labels()); }

 private:
  /// Calls each(array) for every array of a model's input, except the offsets of children.
  template <typename Visit>
  void visit(Visit&& each) const {
    each(graphs_.types().subspan(begin_, size_));
    each(graphs_.children().subspan(slots_, graphs_.child_begin()[begin_ + size_] - slots_));
    const GraphSchema& schema = graphs_.schema();
    for (std::size_t p = 0; p < schema.index_ports.size(); ++p)
      if (schema.index_ports[p] != "label") each(graphs_.index_pulls(p).subspan(begin_, size_));
    for (std::size_t p = 0; p < schema.float_ports.size(); ++p) {
      const std::int64_t width = schema.float_ports[p].width;
      each(graphs_.float_pulls(p).subspan(begin_ * width, size_ * width));
      each(graphs_.float_present(p).subspan(begin_, size_));
    }
    const std::int64_t edges = graphs_.child_begin()[begin_ + size_] - slots_;
    for (std::size_t p = 0; p < schema.edge_index_ports.size(); ++p)
      each(graphs_.edge_index_pulls(p).subspan(slots_, edges));
    for (std::size_t p = 0; p < schema.edge_float_ports.size(); ++p) {
      const std::int64_t width = schema.edge_float_ports[p].width;
      each(graphs_.edge_float_pulls(p).subspan(slots_ * width, edges * width));
      each(graphs_.edge_float_present(p).subspan(slots_, edges));
    }
  }
  bool same_arities(const Sample& other) const {
    for (std::int64_t v = 0; v <= size_; ++v)
      if (graphs_.child_begin()[begin_ + v] - slots_ != other.graphs_.child_begin()[other.begin_ + v] - other.slots_)
        return false;
    return true;
  }
  std::span<const std::int32_t> labels() const {
    const auto all = indices_at(graphs_, "label");
    return all.empty() ? all : all.subspan(begin_, size_);
  }

  const GraphSet& graphs_;
  std::int64_t begin_, size_, slots_;
};

struct Copies {
  std::int64_t in_train = 0, in_both = 0, other_labels = 0;
};

/// Counts the samples whose input equals that of an earlier training sample, with equal labels or with others.
Copies count_copies(const GraphSet& train, const GraphSet& dev) {
  Copies copies;
  std::unordered_multimap<std::uint64_t, std::int32_t> firsts;
  const auto first_of = [&](const Sample& sample, std::uint64_t hash) {
    const auto [begin, end] = firsts.equal_range(hash);
    const auto found =
        std::find_if(begin, end, [&](const auto& entry) { return Sample(train, entry.second).same_input(sample); });
    return found == end ? -1 : found->second;
  };
  const auto compare = [&](const Sample& sample, std::int32_t first, std::int64_t& equal) {
    (sample.same_labels(Sample(train, first)) ? equal : copies.other_labels) += 1;
  };
  for (std::int32_t s = 0; s < train.size(); ++s) {
    const Sample sample(train, s);
    const std::uint64_t hash = sample.hash();
    const std::int32_t first = first_of(sample, hash);
    if (first < 0)
      firsts.emplace(hash, s);
    else
      compare(sample, first, copies.in_train);
  }
  for (std::int32_t s = 0; s < dev.size(); ++s) {
    const Sample sample(dev, s);
    const std::int32_t first = first_of(sample, sample.hash());
    if (first >= 0) compare(sample, first, copies.in_both);
  }
  return copies;
}

std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamed);
  return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

class Oddities {
 public:
  template <typename... Args>
  void add(const char* name, std::int64_t count, fmt::format_string<Args...> format, Args&&... args) {
    if (count > 0) found.push_back({name, count, fmt::format(format, std::forward<Args>(args)...)});
  }
  std::vector<Oddity> found;
};

void look_at_copies(const Dataset& data, Oddities& odd) {
  const Copies copies = count_copies(data.train, data.dev);
  odd.add("duplicates", copies.in_train, "{} training samples are copies of an earlier one", copies.in_train);
  odd.add("in_both_parts", copies.in_both, "{} samples of dev are also training samples", copies.in_both);
  odd.add("contradictions", copies.other_labels, "{} samples have the input of a training sample, but other labels",
          copies.other_labels);
}

void look_at_sizes(const char* name, const GraphSet& graphs, const PartSummary& part, Oddities& odd) {
  const double far = static_cast<double>(kOutlierFactor) * part.sizes.median;
  std::int64_t outliers = 0, single = 0;
  for (std::int32_t s = 0; s < graphs.size(); ++s) {
    const std::int64_t size = graphs.vertex_begin()[s + 1] - graphs.vertex_begin()[s];
    outliers += static_cast<double>(size) > far ? 1 : 0;
    single += size == 1 ? 1 : 0;
  }
  odd.add("outliers", outliers, "{} samples of {} have more than {} times the median of {:g} vertices; the largest: {}",
          outliers, name, kOutlierFactor, part.sizes.median, part.sizes.max);
  if (part.sizes.max > 1) odd.add("single_vertices", single, "{} samples of {} have only one vertex", single, name);
}

void look_at_labels(const char* name, const PartSummary& part, const std::vector<std::string>& classes, Oddities& odd) {
  if (classes.size() < 2 || part.labelled == 0) return;
  const auto largest = std::ranges::max_element(part.labels);
  const double of_all = share(*largest, part.labelled);
  odd.add("unequal_classes", of_all > kOneClass ? *largest : 0, "class {} has {:.1f} % of the labels of {}",
          classes[largest - part.labels.begin()], 100 * of_all, name);
}

void look_at_part(const char* name, const PartSummary& part, Oddities& odd) {
  if (part.unlabelled_samples < part.samples)
    odd.add("unlabelled_samples", part.unlabelled_samples, "{} samples of {} have no label", part.unlabelled_samples,
            name);
  for (const PortSummary& port : part.ports)
    odd.add("absent_ports", port.present == 0 ? 1 : 0, "port '{}' has no value at any {} of {}", port.name,
            port.of_edges ? "edge" : "vertex", name);
}

void look_at_classes(const DataSummary& summary, Oddities& odd) {
  std::vector<std::string> never, only_dev;
  for (std::size_t c = 0; c < summary.classes.size(); ++c) {
    if (summary.train.labels[c] > 0) continue;
    const bool in_dev = summary.dev && summary.dev->labels[c] > 0;
    (in_dev ? only_dev : never).push_back(summary.classes[c]);
  }
  if (summary.train.labelled == 0) return;
  odd.add("unseen_classes", std::ssize(never), "{} of {} classes have no label at all: {}", never.size(),
          summary.classes.size(), some_of(never));
  odd.add("classes_of_dev_alone", std::ssize(only_dev), "{} classes have labels in dev, but none in train: {}",
          only_dev.size(), some_of(only_dev));
}

void look_at_names(const char* name, const char* what, const std::vector<std::string>& names, bool numbers,
                   Oddities& odd) {
  const auto alike = find_look_alikes(names, numbers);
  if (alike.empty()) return;
  const auto& [a, b] = alike.front();
  odd.add(name, std::ssize(alike),
          "{} {} look like another one, but have other characters: '{}' is {} in one place and {} in another",
          alike.size(), what, b, with_numbers(a), with_numbers(b));
}

void look_at_words(const DataSummary& summary, Oddities& odd) {
  if (!summary.dev || summary.vocabulary == 0) return;
  const double unknown = share(summary.dev->unknown_words, summary.dev->words);
  odd.add("unknown_words", unknown > kManyUnknown ? summary.dev->unknown_words : 0,
          "{:.1f} % of the words of dev are unknown", 100 * unknown);
}

}  // namespace

std::vector<Oddity> find_oddities(const Dataset& data, const DataSummary& summary) {
  Oddities odd;
  look_at_copies(data, odd);
  look_at_sizes("train", data.train, summary.train, odd);
  if (summary.dev) look_at_sizes("dev", data.dev, *summary.dev, odd);
  look_at_part("train", summary.train, odd);
  if (summary.dev) look_at_part("dev", *summary.dev, odd);
  look_at_labels("train", summary.train, summary.classes, odd);
  if (summary.dev) look_at_labels("dev", *summary.dev, summary.classes, odd);
  look_at_classes(summary, odd);
  look_at_words(summary, odd);
  if (!data.class_names.empty()) look_at_names("look_alike_classes", "classes", data.class_names, true, odd);
  look_at_names("look_alike_words", "words", data.words.words(), false, odd);
  return std::move(odd.found);
}

}  // namespace cavs::inline v0_1
