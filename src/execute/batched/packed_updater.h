#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "execute/batched/deferred_sums.h"
#include "execute/batched/packed_weights.h"
#include "tensor/array.h"
#include "tensor/parameter_rows.h"

namespace cavs::inline v0_1 {

/// Lets an update change weights where they are packed: rows are unpacked into a worker's cache, changed, and packed
/// again, transposed copies included. A weight that only products read has its one master copy in its pack (of fp32)
/// from the first update on, until Parameters::values asks for it.
class PackedUpdater final : public ParameterRows {
 public:
  PackedUpdater(const Program& program, std::shared_ptr<Parameters> parameters,
                const std::shared_ptr<PackedWeights>& packed, DeferredSums& deferred_sums, int workers);
  ~PackedUpdater() override;  // brings the values back, so that the packs can go
  PackedUpdater(const PackedUpdater&) = delete;
  PackedUpdater& operator=(const PackedUpdater&) = delete;

  /// Before an update, with the run that has deferred gradients, if any. One thread.
  void begin(Execution* run);
  float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) override;
  void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) override;
  const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) override;
  bool update_strips(const WorkPart& who, int parameter, StripRule& rule) override;
  const Parameters* owner() const override { return parameters_.get(); }
  /// After an update that has touched the parameters: packs of which every row was renewed are fresh. One thread.
  void finish();

 private:
  void check_deferred(int parameter) const;

  struct Weight {
    PackedWeights::Place home;
    std::shared_ptr<const detail::Array::Copy> copy;  // as it is declared, in fp32; nullptr: values are read elsewhere
    bool in_pack = false;                             // the newest values are there alone
    bool squares = false;                             // that it lies in
    std::atomic<std::int64_t> elements{0};            // renewed since begin
  };
  std::shared_ptr<Parameters> parameters_;
  PackedWeights& packed_;
  DeferredSums& deferred_sums_;
  Execution* run_ = nullptr;
  std::vector<Weight> weights_;  // [parameters]
  std::vector<std::vector<float>> scratch_;
};

}  // namespace cavs::inline v0_1
