#include "execute/batched/products.h"

#include <algorithm>

#include "share/work_share.h"

namespace cavs {

void ProductRunner::run(Worker& worker, const WorkPart& who, const Instruction& i, const Matmul& product,
                        RowRange rows) const {
  const int units = weights_[product.factors[0].weight].units();  // those of all factors
  const ProductShare share = share_of_product(rows.begin, rows.end, units, who.part, who.parts);
  if (share.empty()) return;
  for (std::int32_t begin = share.row_begin; begin < share.row_end; begin += cpu::kRowBlock)
    run_units(worker, i, product, {begin, std::min(begin + cpu::kRowBlock, share.row_end)},
              {share.unit_begin, share.unit_end});
}

void ProductRunner::run_units(Worker& worker, const Instruction& i, const Matmul& product, RowRange rows,
                              Range<int> units) const {
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
