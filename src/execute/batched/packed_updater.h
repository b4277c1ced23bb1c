#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "execute/batched/deferred_sums.h"
#include "execute/batched/packed_weights.h"
#include "tensor/array.h"
#include "tensor/parameter_rows.h"

namespace cavs::inline v0_1 {

/// Lets an update change weights in packed form. Rows are unpacked into a worker's cache, changed, and packed again,
/// also in transposed copies. From the first update on, a weight that only products read has its only current values in
/// its fp32 pack (packed weights), until Parameters::values reads the weight.
class PackedUpdater final : public ParameterRows {
 public:
  PackedUpdater(const Program& program, std::shared_ptr<Parameters> parameters,
                const std::shared_ptr<PackedWeights>& packed, DeferredSums& deferred_sums, int workers);
  ~PackedUpdater() override;  // copies the values from the packs first
  PackedUpdater(const PackedUpdater&) = delete;
  PackedUpdater& operator=(const PackedUpdater&) = delete;

  /// Begins an update. `run` is the run with deferred gradients, or nullptr. Called on one thread.
  void begin(Execution* run);
  float* open(int worker, int parameter, std::int32_t begin, std::int32_t end) override;
  void close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) override;
  const float* gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) override;
  bool update_strips(const WorkPart& work, int parameter, StripRule& rule) override;
  const Parameters* owner() const override { return parameters_.get(); }
  /// Ends an update: marks packs as fresh if all their rows were renewed. Called on one thread.
  void finish();

 private:
  void check_deferred(int parameter) const;

  struct Weight {
    PackedWeights::Place home;                        // fp32 pack to update
    std::shared_ptr<const detail::Array::Copy> copy;  // reads the fp32 values as declared; nullptr if other
                                                      // instructions read them, too
    bool only_in_pack = false;                        // true if only the pack has the current values
    bool squares = false;                             // PackedWeights::has_squares
    std::atomic<std::int64_t> elements{0};            // number of elements updated since begin()
  };
  std::shared_ptr<Parameters> parameters_;
  PackedWeights& packed_;
  DeferredSums& deferred_sums_;
  Execution* run_ = nullptr;
  std::vector<Weight> weights_;  // [parameters]
  std::vector<std::vector<float>> scratch_;
};

}  // namespace cavs::inline v0_1
