#pragma once

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "cavs/inspect.h"
#include "cavs/session.h"

namespace cavs {

/// The products of every minibatch in an epoch that reads the samples in file order.
inline std::vector<std::vector<inspect::Product>> products_of_epoch(const std::shared_ptr<const Program>& program,
                                                                    const GraphSet& data, int batch_size,
                                                                    const std::string& policy = "frontier") {
  const auto bound = bind_graphs(program, data);
  std::vector<std::vector<inspect::Product>> epoch;
  for (std::int32_t first = 0; first < data.size(); first += batch_size) {
    std::vector<std::int32_t> samples(std::min(batch_size, data.size() - first));
    std::iota(samples.begin(), samples.end(), first);
    epoch.push_back(inspect::ScheduledBatch(program, bound, samples, policy).products());
  }
  return epoch;
}

}  // namespace cavs
