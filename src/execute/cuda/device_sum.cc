#include "execute/cuda/device_sum.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace cavs::cuda {

DeviceSum::DeviceSum(DeviceParameters& parameters, Gradients& total, Add add)
    : parameters_(parameters), total_(total), add_(std::move(add)) {}

void DeviceSum::begin(std::int64_t minibatches) {
  minibatches_ = minibatches;
  added_ = 0;
  partials_.clear();
}

void DeviceSum::add(Partial& to, const Partial& from) const {
  add_(to.block->begin(), from.block->begin());
  for (std::size_t p = 0; p < to.rows.size(); ++p) {
    std::vector<std::int32_t> both;
    std::ranges::set_union(to.rows[p], from.rows[p], std::back_inserter(both));
    to.rows[p] = std::move(both);
  }
}

/// Adds as a binary counter does: if bit b of added_ is set, there is a sum of 2^b minibatches, to which the next sum
/// of 2^b is added. The last call adds all remaining sums.
void DeviceSum::add() {
  Partial sum{parameters_.latest_gradients(), total_.table_rows};
  for (std::vector<std::int32_t>& rows : sum.rows) std::ranges::sort(rows);
  ++added_;
  const bool is_last = added_ == minibatches_;
  for (auto merged = is_last ? partials_.size() : std::countr_zero(static_cast<std::uint64_t>(added_)); merged > 0;
       --merged) {
    add(sum, partials_.back());
    partials_.pop_back();
  }
  if (is_last)
    parameters_.mark_gradients_on_device(std::move(sum.block), std::move(sum.rows), total_);
  else
    partials_.push_back(std::move(sum));
}

}  // namespace cavs::cuda
