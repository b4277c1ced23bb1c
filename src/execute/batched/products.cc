#include "execute/batched/products.h"

#include <algorithm>

namespace cavs {

void ProductRunner::run(Worker& worker, const WorkPart& who, const Instruction& i, const Matmul& product,
                        RowRange rows) const {
  const int units = weights_[product.factors[0].weight].units();  // those of all factors
  ProductShare share = share_of_product(rows, units, who);
  if (share.empty()) return;
  for (const std::int32_t end = share.rows.end; share.rows.begin < end; share.rows.begin = share.rows.end) {
    share.rows.end = std::min(share.rows.begin + cpu::kRowBlock, end);
    run_units(worker, i, product, share);
  }
}

void ProductRunner::run_units(Worker& worker, const Instruction& i, const Matmul& product,
                              const ProductShare& share) const {
  const auto [rows, units] = share;
  for (std::size_t k = 0; k < product.factors.size(); ++k) {
    const Factor& factor = product.factors[k];
    worker.products.clear();
    for (std::size_t p = 0; p < factor.outs.size(); ++p)
      worker.products.push_back({worker.write(i.out[factor.outs[p]]), factor.add[p] != 0});
    worker.count_weight(factor.weight, units);
    cpu::matmul(worker.read(i.in[k]), rows.begin, rows.end, weights_[factor.weight], worker.products, units.begin,
                units.end, worker.scratch);
  }
}

}  // namespace cavs
