#include "measure/predict_gpu.h"

#include <algorithm>

#include "measure/products.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr std::int32_t kMmaRows = 8;
constexpr double kFloat = 4;  // bytes

double by_eights(std::int32_t rows) {
  const std::int32_t blocks = (rows + kMmaRows - 1) / kMmaRows;
  return double{kMmaRows} * blocks;
}

/// The forward weight whose slices multiply for a placed one: itself, or where the target has no transposed copy, the
/// one that has the parameter.
const PlacedWeight* multiplied(const Program& program, const WeightPlacement& placement, const Factor& factor) {
  const PlacedWeight* const placed = placement.find(factor.weight);
  if (placed == nullptr || !placed->owner.empty()) return placed;
  for (const PlacedWeight& other : placement.weights) {
    const Weight& weight = program.weights[other.weight];
    if (!weight.transposed &&
        std::ranges::find(weight.parameters, factor.parameters.front()) != weight.parameters.end())
      return &other;
  }
  return nullptr;
}

/// Processors with columns of a weight; all, of one that is not placed.
double owners_of(const PlacedWeight* placed, const OnChipTarget& target) {
  if (placed == nullptr || placed->owner.empty()) return target.processors;
  std::vector<char> owns(static_cast<std::size_t>(target.processors));
  for (const std::int32_t owner : placed->owner) owns[owner] = 1;
  return static_cast<double>(std::ranges::count(owns, 1));
}

/// Bytes of a weight that the processor with most of them has no room for.
double most_streamed(const PlacedWeight* placed, const OnChipTarget& target) {
  if (placed == nullptr) return 0;
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(target.processors));
  for (std::int32_t u = 0; u < placed->units(); ++u)
    if (placed->memory[u] == PlacedWeight::kStreamed) bytes[placed->owner[u]] += placed->unit_bytes;
  return static_cast<double>(*std::ranges::max_element(bytes));
}

/// Where all processors must wait inside of a level. A product leaves columns with their owners, where loops find them;
/// another product wants all of them. Without a transposed copy, a transposed product leaves sums over each owner's
/// columns, which are to be added up before anybody reads them.
class LevelBarriers {
 public:
  LevelBarriers(const TypeProgram& type, TransposedReads transposed)
      : tensors_(type.tensors.size()), sums_(transposed == TransposedReads::kForwardColumns) {}

  void take(const Instruction& i) {
    const auto* const product = i.as<Matmul>();
    const bool sums = product != nullptr && product->transposed && sums_;
    const bool wants_all = product != nullptr && !sums;
    const State input = state_of(i);
    if (input == State::kSums || (wants_all && input == State::kColumns)) meet();
    const State output = sums                                          ? State::kSums
                         : wants_all || state_of(i) == State::kColumns ? State::kColumns
                                                                       : State::kAll;
    open_sums_ = open_sums_ || sums;
    for (const Operand& o : i.out)
      if (o.kind == StorageKind::kTensor) tensors_[o.id] = output;
  }
  std::int32_t count() const { return 1 + met_ + (open_sums_ ? 1 : 0); }

 private:
  enum class State : std::uint8_t { kAll, kColumns, kSums };

  State state_of(const Instruction& i) const {
    State most = State::kAll;
    for (const Operand& o : i.in)
      if (o.kind == StorageKind::kTensor) most = std::max(most, tensors_[o.id]);
    return most;
  }

  void meet() {
    ++met_;
    open_sums_ = false;
    std::ranges::fill(tensors_, State::kAll);
  }

  std::vector<State> tensors_;
  bool sums_, open_sums_ = false;
  std::int32_t met_ = 0;
};

class Levels {
 public:
  Levels(const Program& program, const WeightPlacement& placement, const Plan& plan)
      : program_(program), placement_(placement), plan_(plan) {}

  LevelWork of(const Step& step) const {
    LevelWork level{.backward = step.backward};
    const RowRange vertices = plan_.range(step, kVertexRows);
    level.rows = vertices.end - vertices.begin;
    LevelBarriers barriers(program_.types[step.type], placement_.target.transposed);
    each_instruction(program_.types[step.type].at(step.backward, step.stage), [&](const Instruction& i) {
      const auto [begin, end] = plan_.range(step, i.domain);
      if (begin == end) return;
      if (const auto* const product = i.as<Matmul>()) add(i, *product, end - begin, level);
      if (i.is<WeightGradient>()) add_gradient(i, end - begin, level);
      barriers.take(i);
    });
    level.barriers = barriers.count();
    return level;
  }

 private:
  void add(const Instruction& i, const Matmul& product, std::int32_t rows, LevelWork& level) const {
    const OnChipTarget& target = placement_.target;
    for (std::size_t k = 0; k < product.factors.size(); ++k) {
      const Factor& factor = product.factors[k];
      const PlacedWeight* const placed = multiplied(program_, placement_, factor);
      double columns = 0;
      for (const std::int32_t out : factor.outs) columns += i.out[out].width;
      if (product.transposed && target.transposed == TransposedReads::kForwardColumns)
        level.partial += rows * columns;  // its own columns of the operand are where it has computed them
      else
        level.read += double{1} * rows * i.in[k].width;
      const double weights = i.in[k].width * columns / owners_of(placed, target);
      level.multiply_adds += rows * weights, level.multiply_adds_8 += by_eights(rows) * weights;
      level.streamed += most_streamed(placed, target);
    }
  }

  void add_gradient(const Instruction& i, std::int32_t rows, LevelWork& level) const {
    const double weights = double{1} * i.in[0].width * i.in[1].width / placement_.target.processors;
    level.read += rows * (i.in[0].width + i.in[1].width);
    level.multiply_adds += rows * weights, level.multiply_adds_8 += by_eights(rows) * weights;
  }

  const Program& program_;
  const WeightPlacement& placement_;
  const Plan& plan_;
};

bool is_level(const Step& step) { return step.stage == Stage::kTask; }

}  // namespace

std::span<const GpuSpeed> gpu_speeds() {
  static constexpr GpuSpeed kSpeeds[] = {
      {.target = "sm_80", .ghz = 1.41, .barrier_us = 1.4, .fp32_multiply_adds = 64, .bf16_multiply_adds = 1024},
      {.target = "sm_90", .ghz = 1.755, .barrier_us = 1.1, .bf16_multiply_adds = 1290}};
  return kSpeeds;
}

void LevelTime::add(const LevelTime& other) {
  barriers += other.barriers, reading += other.reading, products += other.products;
  loops += other.loops, streaming += other.streaming;
}

LevelTime predict_level(const LevelWork& work, const GpuSpeed& speed, int number_bytes) {
  CAVS_ASSERT(number_bytes == 2 || number_bytes == 4);
  const double clocks = 1e-3 / speed.ghz;  // microseconds of one
  const double products = number_bytes == 4 ? work.multiply_adds / speed.fp32_multiply_adds
                                            : work.multiply_adds_8 / speed.bf16_multiply_adds;
  const double bytes = work.read * number_bytes + 2 * kFloat * work.partial;
  return {.barriers = work.barriers * speed.barrier_us,
          .reading = (speed.read_clocks + bytes / speed.read_bytes) * clocks,
          .products = products / speed.efficiency * clocks,
          .loops = speed.loop_clocks * clocks,
          .streaming = work.streamed / speed.read_bytes * clocks};
}

std::vector<LevelWork> levels_of(const Program& program, const WeightPlacement& placement, const Plan& plan) {
  const Levels levels(program, placement, plan);
  std::vector<LevelWork> all;
  for (const Step& step : plan.steps)
    if (is_level(step)) all.push_back(levels.of(step));
  return all;
}

GpuPredictor::GpuPredictor(const Program& program, const WeightPlacement& placement, const GpuSpeed& speed,
                           int number_bytes)
    : program_(program), placement_(placement), speed_(speed), number_bytes_(number_bytes) {}

void GpuPredictor::add(const Plan& plan) {
  for (const LevelWork& level : levels_of(program_, placement_, plan)) {
    (level.backward ? sum_.backward : sum_.forward).add(predict_level(level, speed_, number_bytes_));
    sum_.levels += 1, sum_.rows += level.rows;
  }
  sum_.outside += outside_us(plan), sum_.loading += loading_us(), sum_.update += update_us(plan);
  ++sum_.steps;
}

GpuPrediction GpuPredictor::mean() const {
  CAVS_ASSERT(sum_.steps > 0);
  const auto steps = static_cast<double>(sum_.steps);
  GpuPrediction p;
  p.steps = sum_.steps;
  p.levels = sum_.levels / steps, p.rows = sum_.levels > 0 ? sum_.rows / sum_.levels : 0;
  const auto mean = [&](const LevelTime& t) {
    return LevelTime{t.barriers / steps, t.reading / steps, t.products / steps, t.loops / steps, t.streaming / steps};
  };
  p.forward = mean(sum_.forward), p.backward = mean(sum_.backward);
  p.outside = sum_.outside / steps, p.loading = sum_.loading / steps, p.update = sum_.update / steps;
  return p;
}

/// Of bytes that all processors share.
double GpuPredictor::read_us(double bytes) const {
  return bytes / placement_.target.processors / speed_.read_bytes / speed_.ghz * 1e-3;
}

/// Steps before and after the tasks run for all vertices at once: each is a barrier, its loops, and its products, as
/// long as their multiply-adds take, or their operands to come.
double GpuPredictor::outside_us(const Plan& plan) const {
  double us = 0;
  std::vector<Product> products;
  for (const Step& step : plan.steps) {
    if (is_level(step)) continue;
    us += speed_.barrier_us + (speed_.read_clocks + speed_.loop_clocks) / speed_.ghz * 1e-3;
    products.clear();
    list_products(program_, plan, step, products);
    for (const Product& p : products) {
      const double k = p.k, n = p.n, rows = number_bytes_ == 4 ? p.rows : by_eights(p.rows);
      const LevelWork work{.barriers = 0,
                           .multiply_adds = rows * k * n / placement_.target.processors,
                           .multiply_adds_8 = rows * k * n / placement_.target.processors};
      us += std::max(predict_level(work, speed_, number_bytes_).products,
                     read_us((rows * (k + n) + k * n) * number_bytes_));
    }
  }
  return us;
}

/// What the fullest processor keeps.
double GpuPredictor::loading_us() const {
  std::int64_t most = 0;
  for (const auto& used : placement_.used) {
    std::int64_t bytes = 0;
    for (const std::int64_t memory : used) bytes += memory;
    most = std::max(most, bytes);
  }
  return static_cast<double>(most) / speed_.read_bytes / speed_.ghz * 1e-3;
}

/// In training: every number that has a gradient is read with it, and written.
double GpuPredictor::update_us(const Plan& plan) const {
  if (!program_.options.training) return 0;
  double numbers = 0;
  for (std::size_t p = 0; p < program_.parameters.size(); ++p) {
    const ParameterInfo& parameter = program_.parameters[p];
    const auto size = static_cast<double>(parameter.shape.size());
    numbers += parameter.table ? size / parameter.shape.dims[0] * plan.touched[p].count : size;
  }
  return speed_.barrier_us + read_us(3 * kFloat * numbers);
}

}  // namespace cavs
