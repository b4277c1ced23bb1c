#include "network_graphs.h"

#include <algorithm>

#include "cavs/graph.h"
#include "support/check.h"

namespace cavs::python {
namespace {

/// Returns [functions][types of the data]: true if the function runs over vertices of the type.
std::vector<std::vector<char>> types_of_functions(const Model& network, const GraphSchema& data) {
  std::vector<std::vector<char>> over;
  for (const FunctionInfo& f : network.function_infos()) {
    auto& runs = over.emplace_back();
    for (const std::string& type : data.types) runs.push_back(std::ranges::count(f.over, type) > 0 ? 1 : 0);
  }
  return over;
}

}  // namespace

NetworkGraphs::NetworkGraphs(const Model& network, const GraphSet& data)
    : evaluated_(std::make_shared<GraphSet>(build_graphs(data, network_builder(network, data.schema())))),
      data_begin_(data.vertex_begin().begin(), data.vertex_begin().end()) {
  over_.reserve(static_cast<std::size_t>(evaluated_->vertices()));
  const auto over = types_of_functions(network, data.schema());
  for (std::int32_t s = 0; s < data.size(); ++s)
    for (const auto& runs : over)  // in the order in which network_builder numbers vertices
      for (std::int64_t v = data_begin_[s]; v < data_begin_[s + 1]; ++v)
        if (runs[data.types()[v]] != 0) over_.push_back(static_cast<std::int32_t>(v - data_begin_[s]));
  CAVS_ASSERT(std::ssize(over_) == evaluated_->vertices());
}

std::vector<std::int64_t> NetworkGraphs::rows(std::span<const std::int32_t> samples) const {
  std::vector<std::int64_t> rows;
  std::int64_t first = 0;
  const auto begin = evaluated_->vertex_begin();
  for (const std::int32_t s : samples) {
    for (std::int64_t v = begin[s]; v < begin[s + 1]; ++v) rows.push_back(first + over_[v]);
    first += data_begin_[s + 1] - data_begin_[s];
  }
  return rows;
}

std::vector<std::int32_t> NetworkGraphs::functions(std::span<const std::int32_t> samples) const {
  std::vector<std::int32_t> functions;
  const auto begin = evaluated_->vertex_begin();
  for (const std::int32_t s : samples)
    for (std::int64_t v = begin[s]; v < begin[s + 1]; ++v) functions.push_back(evaluated_->types()[v]);
  return functions;
}

std::vector<std::int32_t> NetworkGraphs::sample_begin(std::span<const std::int32_t> samples) const {
  std::vector<std::int32_t> begin{0};
  for (const std::int32_t s : samples)
    begin.push_back(begin.back() + static_cast<std::int32_t>(data_begin_[s + 1] - data_begin_[s]));
  return begin;
}

std::vector<float> spread(std::span<const float> of_data, std::span<const std::int64_t> rows, std::size_t width) {
  std::vector<float> evaluated(rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] >= 0)
      std::copy_n(of_data.begin() + rows[i] * static_cast<std::int64_t>(width), width, evaluated.begin() + i * width);
  return evaluated;
}

void collect(std::span<const float* const> evaluated, std::span<const std::int64_t> rows, std::size_t width,
             std::span<float> of_data) {
  CAVS_ASSERT(evaluated.size() == rows.size());
  std::ranges::fill(of_data, 0.0F);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (evaluated[i] != nullptr)
      std::copy_n(evaluated[i], width, of_data.begin() + rows[i] * static_cast<std::int64_t>(width));
}

void add_up(std::span<const float> evaluated, std::span<const std::int64_t> rows, std::size_t width,
            std::span<float> of_data) {
  CAVS_ASSERT(evaluated.size() == rows.size() * width);
  std::ranges::fill(of_data, 0.0F);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; rows[i] >= 0 && k < width; ++k)
      of_data[static_cast<std::size_t>(rows[i]) * width + k] += evaluated[i * width + k];
}

}  // namespace cavs::python
