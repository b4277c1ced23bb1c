#include "execute/cuda_batched/state_keeper.h"

#include <algorithm>

namespace cavs::cuda {
namespace {

constexpr std::int64_t kRow = sizeof(RowCopy), kWord = sizeof(int);

}  // namespace

std::span<RowCopy> StateKeeper::begin(std::int64_t vertices, std::span<const std::int32_t> widths) {
  vertices_ = vertices, states_ = std::ssize(widths);
  const std::int64_t rows = vertices * states_;
  staged_.reserve(rows * kRow + (states_ + vertices) * kWord);
  std::ranges::copy(widths, reinterpret_cast<int*>(staged_.as<RowCopy>() + rows));
  return {staged_.as<RowCopy>(), static_cast<std::size_t>(rows)};
}

std::vector<char> StateKeeper::run(const Stream& stream, const std::function<void(const StateCopies&)>& launch) {
  const std::int64_t widths_at = vertices_ * states_ * kRow, finite_at = widths_at + states_ * kWord;
  sent_.reserve(finite_at + vertices_ * kWord);
  stream.upload(sent_.at(), staged_.as<char>(), finite_at);
  launch({.rows = sent_.as<RowCopy>(),
          .widths = reinterpret_cast<const int*>(sent_.at(widths_at)),
          .finite = reinterpret_cast<int*>(sent_.at(finite_at)),
          .vertices = static_cast<int>(vertices_),
          .states = static_cast<int>(states_)});
  int* const finite = reinterpret_cast<int*>(staged_.as<char>() + finite_at);
  stream.download(finite, sent_.at(finite_at), vertices_ * kWord);
  stream.synchronise();
  return {finite, finite + vertices_};
}

}  // namespace cavs::cuda
