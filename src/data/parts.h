#pragma once

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/data_kinds.h"

namespace cavs::inline v0_1 {

/// The training and development parts of data, parsed from texts, which samples may view. The development part may be
/// missing. Every sample has the number of the line at which it begins.
template <typename Sample>
struct Parts {
  std::array<std::string, 2> files, texts;
  std::array<std::vector<Sample>, 2> samples;

  /// @param parse  function (text, file name, number of the part) that returns the samples
  template <typename Parse>
  Parts(const DataSpec::Files& names, const DataOptions& options, const Parse& parse) : files{names.train, names.dev} {
    for (std::size_t p = 0; p < files.size() && !files[p].empty(); ++p) {
      texts[p] = text_of(files[p], options);
      samples[p] = parse(texts[p], files[p], p);
    }
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// Adds the graphs of both parts to the data. Options may limit the number of training graphs.
  /// @param make  function (sample, file name) that returns the graph of a sample
  template <typename Make>
  void add_graphs(const GraphSchema& schema, const DataOptions& options, const Make& make, Dataset& data) const {
    for (std::size_t p = 0; p < files.size(); ++p) {
      GraphSet graphs(schema, options.limits);
      const std::int64_t all = std::ssize(samples[p]), count = p == 0 ? limited(all, options) : all;
      for (const Sample& sample : std::span(samples[p]).first(count))
        graphs.add(make(sample, files[p]), fmt::format("{}:{}", files[p], sample.line));
      (p == 0 ? data.train : data.dev) = std::move(graphs);
    }
  }
};

}  // namespace cavs::inline v0_1
