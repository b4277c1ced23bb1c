#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/cpu/kernels.h"
#include "cavs/parameters.h"
#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Packed copies of the weights that a program multiplies with, renewed when a parameter's version changes. Sessions
/// may share them.
class PackedWeights {
 public:
  PackedWeights(const Program& program, cpu::Precision precision);

  /// Position of a parameter that is packed as declared, not transposed.
  struct Place {
    std::int32_t weight = -1;  // -1: nowhere
    int part = 0;
  };
  const Place& find(int parameter) const { return homes_[parameter]; }

  /// A session holds this lock from stale() to mark_fresh(), so that others wait for the packs that it renews.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Does the worker's share of renewing packs that are older than the parameters. Called by all workers; no worker may
  /// use a pack before all have returned, and mark_fresh must be called once in between.
  void refresh(const Parameters& parameters, int worker, int workers);
  /// Renews rows [begin, end) of one parameter, row-major: workers renew disjoint multiples of kSlice rows.
  void renew_rows(int parameter, std::int32_t begin, std::int32_t end, const float* rows);
  /// True if a parameter consists of squares in all of its packs.
  bool has_squares(int parameter) const;
  /// Address of kSlice columns of a parameter, packed as declared, from a row on: one row after the other. After rows
  /// [row_begin, row_end), a multiple of kSlice, were changed, renew_strip() copies them to the other packs.
  float* strip(int parameter, int row, int column) {
    const Place& place = homes_[parameter];
    return packs_[place.weight].packed.square(place.part, row, column);
  }
  void renew_strip(int parameter, const float* strip, int row_begin, int row_end, int column);
  /// True if any pack is older than the parameters; then all parameters are ready to be read by all workers.
  bool stale(const Parameters& parameters) const;
  void mark_fresh(const Parameters& parameters);
  /// Marks one parameter as fresh.
  void mark_fresh(const Parameters& parameters, int parameter);

  /// @param weight  number in Program::weights
  const cpu::PackedWeight& operator[](std::int32_t weight) const { return packs_[weight].packed; }

 private:
  struct Pack {
    const Weight& weight;
    cpu::PackedWeight packed;
    std::vector<std::uint64_t> versions;  // of the packed parameters
  };
  static cpu::PackedWeight make_pack(const Program& program, const Weight& weight, cpu::Precision precision);
  void place();  // allocates the packs

  cpu::AlignedFloats memory_;  // all packs in one piece, so that it has large pages
  std::vector<Pack> packs_;
  std::vector<Place> homes_;                // [parameters] see find()
  std::vector<std::vector<Place>> others_;  // [parameters] further positions
  std::mutex mutex_;
};

}  // namespace cavs::inline v0_1
