#pragma once

// Rules for every kernel. Results have the same bits on all instruction sets that can agree, whatever the neighbouring
// rows, the split of the work, and the addresses of operands. A kernel touches no memory outside of its operands. A row
// kernel also agrees with the definition of its operator.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/kernel_testing.h"
#include "backend/row_definition.h"
#include "helpers/sanitizer.h"

namespace cavs::cpu {

/// The instruction sets that give the same bits: all, those that round a multiply-add once, or of these, those with
/// equal vector lengths (sums over lanes).
enum class Agree { kAll, kFused, kLanes };

/// Floats between two pages without access.
class GuardedFloats {
 public:
  static constexpr std::size_t kSize = std::size_t{1} << 17;

  GuardedFloats() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = kSize * sizeof(float) + 2 * page;
    memory_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    first_ = reinterpret_cast<float*>(static_cast<char*>(memory_) + page);
    if (mprotect(first_, kSize * sizeof(float), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~GuardedFloats() { munmap(memory_, bytes_); }
  GuardedFloats(const GuardedFloats&) = delete;
  GuardedFloats& operator=(const GuardedFloats&) = delete;
  float* first() const { return first_; }

 private:
  void* memory_;
  std::size_t bytes_;
  float* first_;
};

/// One call of a kernel. All calls with one seed have equal operands, but at different addresses and split differently.
class Call {
 public:
  /// Position of the operands: right behind a guard page, in the middle, or right before a guard page.
  enum Place { kFront, kMiddle, kBack, kPlaces };

  Call(const Isa& on, std::uint64_t seed, Place where)
      : isa(on),
        place_(where),
        random_(seed, RandomPurpose::kGenerator),
        shares_(seed, RandomPurpose::kShuffle, static_cast<std::uint64_t>(where)) {}

  const Isa& isa;
  Scratch scratch;

  /// The same in all calls: a number in [first, last], or one of these.
  int between(int first, int last) {
    return first + static_cast<int>(random_.below(static_cast<std::uint32_t>(last - first + 1)));
  }
  int one_of(std::initializer_list<int> values) {
    return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
  }
  bool maybe() { return between(0, 1) == 1; }

  /// Numbers in [-1, 1). With `any`, some are special: large, infinite, -0 or subnormal.
  float* numbers(std::int64_t count, bool any = false) {
    float* const p = place(count);
    const std::vector<float>& from = all_numbers();
    const auto start = static_cast<std::ptrdiff_t>(between(0, static_cast<int>(GuardedFloats::kSize) - 1));
    std::copy_n(from.begin() + start, count, p);
    for (std::int64_t i = 0; any && i < count; i += between(1, 40)) {
      constexpr float kSpecial[] = {-0.0F, 0.0F, INFINITY, 1e-40F, 40.0F, -700.0F, -INFINITY, 1e30F};
      p[i] = kSpecial[between(0, 7)];
    }
    return p;
  }
  /// Rows of numbers with gaps between them. With `listed`, some are read through a list of rows.
  ConstRows rows(int count, int width, bool listed = false, bool any = false) {
    const int stride = width + between(0, 3);
    const float* const base = numbers(size_of(count, width, stride), any);
    return {base, stride, listed && maybe() ? index(count, count) : nullptr, width};
  }
  /// Rows with so few different numbers that some are equal.
  ConstRows coarse_rows(int count, int width) {
    const int stride = width + between(0, 3);
    const std::int64_t size = size_of(count, width, stride);
    float* const base = numbers(size);
    for (std::int64_t i = 0; i < size; ++i) base[i] = std::round(4 * base[i]);
    return {base, stride, maybe() ? index(count, count) : nullptr, width};
  }
  /// Integers in [-1, below).
  std::int32_t* index(int count, int below) {
    auto* const p = reinterpret_cast<std::int32_t*>(place(count));
    for (int i = 0; i < count; ++i) p[i] = between(0, 4) == 0 ? -1 : between(0, below - 1);
    return p;
  }
  /// Ascending numbers from 0 in steps of at most `max`.
  std::int32_t* segments(int count, int max) {
    auto* const p = reinterpret_cast<std::int32_t*>(place(count + 1));
    p[0] = 0;
    for (int i = 0; i < count; ++i) p[i + 1] = p[i] + between(0, max);
    return p;
  }
  /// Memory for results to compare. It holds numbers beforehand.
  float* result(std::int64_t count) {
    float* const p = numbers(count);
    results_.emplace_back(p, count);
    return p;
  }
  Rows result(int count, int width) { return {result(std::int64_t{count} * width), width, width}; }

  /// Calls f(begin, end) for parts of [0, count): for all at once, or for random parts.
  template <typename F>
  void share(int count, F f) {
    for (int begin = 0; begin < count;) {
      const int max = place_ == kFront ? count : 1 + static_cast<int>(shares_.below(9));
      const int end = std::min(count, begin + max);
      f(begin, end);
      begin = end;
    }
  }
  int workers() { return place_ == kFront ? 1 : 1 + static_cast<int>(shares_.below(5)); }

  void row_kernel(const std::string& name, const RowArgs& args, int rows) {
    const RowKernel kernel = find_row_kernel(isa, name);
    share(rows, [&](int begin, int end) { kernel(args, begin, end, scratch); });
    if (place_ == kFront) expect_definition(name, args, rows);
  }

  std::vector<float> results() const {
    std::vector<float> all;
    for (const auto& [p, count] : results_) all.insert(all.end(), p, p + count);
    return all;
  }
  /// True if the memory around the operands has not changed.
  bool intact() const {
    return std::all_of(around_.begin(), around_.end(), [](const float* p) { return bits_of(*p) == kAround; });
  }

 private:
  static constexpr std::uint32_t kAround = 0x7FC0ACDCU;  // NaN, so that results show if it was read
  static constexpr std::int64_t kMargin = 40;

  static std::int64_t size_of(int count, int width, int stride) {
    return std::int64_t{std::max(count - 1, 0)} * stride + width;
  }
  static const std::vector<float>& all_numbers() {
    static const std::vector<float> all = [] {
      Random random(1, RandomPurpose::kGenerator);
      std::vector<float> v(2 * GuardedFloats::kSize);
      for (float& x : v) x = 2 * random.uniform() - 1;
      return v;
    }();
    return all;
  }

  float* place(std::int64_t count) {
    static std::deque<GuardedFloats> memory;
    if (used_ == memory.size()) memory.emplace_back();
    float* const first = memory[used_++].first();
    float* const last = first + GuardedFloats::kSize;
    if (count + 2 * kMargin > last - first) throw std::bad_alloc();
    float* const p = place_ == kFront ? first : place_ == kBack ? last - count : first + kMargin + used_ % 16;
    for (float* around = std::max(first, p - kMargin); around < std::min(last, p + count + kMargin); ++around) {
      if (around == p) around += count;
      if (around >= last) break;
      *around = std::bit_cast<float>(kAround);
      around_.push_back(around);
    }
    return p;
  }

  Place place_;
  Random random_, shares_;
  std::size_t used_ = 0;
  std::vector<std::pair<const float*, std::int64_t>> results_;
  std::vector<const float*> around_;
};

/// Name of the group. Instruction sets of one group give the same bits.
inline std::string group_of(const Isa& isa, Agree agree) {
  const bool fused = isa.native_lanes >= 8;
  if (agree == Agree::kAll) return "";
  if (!fused) return isa.name;
  return agree == Agree::kFused ? "fused" : std::to_string(isa.lanes);
}

inline bool same(float a, float b) { return bits_of(a) == bits_of(b) || (std::isnan(a) && std::isnan(b)); }

/// Runs `kernel` on every instruction set and at every position, and compares the results.
inline void expect_equal_bits(Agree agree, std::uint64_t seed, const std::string& what,
                              const std::function<void(Call&)>& kernel) {
  std::map<std::string, std::pair<std::vector<float>, std::string>> first;
  for (const Isa* isa : available_isas())
    for (int place = 0; place < Call::kPlaces; ++place) {
      const std::string where = std::string(isa->name) + ", place " + std::to_string(place);
      Call call(*isa, seed, static_cast<Call::Place>(place));
      kernel(call);
      ASSERT_TRUE(call.intact()) << what << ", " << where << " wrote outside of its operands";
      const std::vector<float> found = call.results();
      const auto& [expected, of] = first.try_emplace(group_of(*isa, agree), found, where).first->second;
      ASSERT_EQ(found.size(), expected.size()) << what;
      for (std::size_t i = 0; i < found.size(); ++i)
        ASSERT_TRUE(same(found[i], expected[i])) << what << ": number " << i << " is " << found[i] << " with " << where
                                                 << ", but " << expected[i] << " with " << of;
    }
}

/// Widths 1 to 130; under a sanitizer only some of them.
inline std::vector<int> widths() {
  std::vector<int> all;
  for (int w = 1; w <= 130; w += kSanitized && w > 20 ? 5 : 1) all.push_back(w);
  return all;
}

inline std::uint64_t seed_of(int width, int more = 0) { return static_cast<std::uint64_t>(1000 * more + width); }

}  // namespace cavs::cpu
