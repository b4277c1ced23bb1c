#include "execute/batched/packed_updater.h"

#include <algorithm>
#include <span>

#include "support/check.h"
#include "support/split_range.h"
#include "tensor/parameters_access.h"

namespace cavs::inline v0_1 {
namespace {

/// True if some instruction reads the parameter in the layout that it was declared in, not packed.
bool is_read(const Program& program, int parameter) {
  const auto reads = [&](const Instruction& i) {
    return std::any_of(i.in.begin(), i.in.end(), [&](const Operand& operand) {
      return operand.kind == StorageKind::kParameter && operand.id == parameter;
    });
  };
  bool any = false;
  for (const TypeProgram& type : program.types)
    each_code(type, [&](const Code& code, bool, Stage) {
      each_instruction(code, [&](const Instruction& i) { any = any || reads(i); });
    });
  return any;
}

/// Reads a parameter's values from its pack (its packed weights).
class PackedCopy final : public detail::Array::Copy {
 public:
  PackedCopy(std::shared_ptr<PackedWeights> weights, const PackedWeights::Place& home, std::int32_t rows)
      : weights_(std::move(weights)), home_(home), rows_(rows) {}
  void read(std::span<float> values) const override {
    (*weights_)[home_.weight].unpack(home_.part, 0, rows_, values.data());
  }

 private:
  const std::shared_ptr<PackedWeights> weights_;
  const PackedWeights::Place home_;
  const std::int32_t rows_;
};

}  // namespace

PackedUpdater::PackedUpdater(const Program& program, std::shared_ptr<Parameters> parameters,
                             const std::shared_ptr<PackedWeights>& packed, DeferredSums& deferred_sums, int workers)
    : parameters_(std::move(parameters)),
      packed_(*packed),
      deferred_sums_(deferred_sums),
      weights_(program.parameters.size()),
      scratch_(workers) {
  std::int64_t most = 0;
  for (int p = 0; p < parameters_->size(); ++p) {
    const PackedWeights::Place place = packed_.find(p);
    if (place.weight < 0 || packed_[place.weight].precision() != cpu::Precision::kFp32 || is_read(program, p)) continue;
    weights_[p].home = place;
    weights_[p].copy = std::make_shared<PackedCopy>(packed, place, parameters_->info(p).shape.dims[0]);
    weights_[p].squares = packed_.has_squares(p);
    most = std::max<std::int64_t>(most, parameters_->info(p).shape.dims[1]);
  }
  for (std::vector<float>& rows : scratch_) rows.resize(static_cast<std::size_t>(most * kRows));
}

PackedUpdater::~PackedUpdater() {
  for (int p = 0; p < parameters_->size(); ++p) {
    const detail::Array& values = detail::ParametersAccess::array(*parameters_, p);
    if (weights_[p].copy != nullptr && values.is_left_to(*weights_[p].copy)) values.read();
  }
}

void PackedUpdater::begin(Execution* run) {
  run_ = run;
  for (int p = 0; p < parameters_->size(); ++p) {
    Weight& weight = weights_[p];
    const detail::Array& values = detail::ParametersAccess::array(*parameters_, p);
    weight.elements = 0;
    weight.only_in_pack = weight.copy != nullptr && values.is_left_to(*weight.copy);
    if (!weight.only_in_pack) values.read();
  }
}

float* PackedUpdater::open(int worker, int parameter, std::int32_t begin, std::int32_t end) {
  const Weight& weight = weights_[parameter];
  const std::int64_t width = parameters_->info(parameter).shape.dims[1];
  if (!weight.only_in_pack) return parameters_->values(parameter).data() + begin * width;
  CAVS_ASSERT(end - begin <= kRows);
  float* const rows = scratch_[static_cast<std::size_t>(worker)].data();
  packed_[weight.home.weight].unpack(weight.home.part, begin, end, rows);
  return rows;
}

void PackedUpdater::close(int parameter, std::int32_t begin, std::int32_t end, const float* rows) {
  packed_.renew_rows(parameter, begin, end, rows);
  const std::int64_t elements = std::int64_t{end - begin} * parameters_->info(parameter).shape.dims[1];
  weights_[parameter].elements.fetch_add(elements, std::memory_order_relaxed);
}

void PackedUpdater::check_deferred(int parameter) const {
  user_check(run_ != nullptr && run_->deferred.has(parameter),
             "the update needs the gradient of parameter '{}', which its run has not deferred; update with "
             "the run whose backward deferred it",
             parameters_->info(parameter).name);
}

const float* PackedUpdater::gradient(int worker, int parameter, std::int32_t begin, std::int32_t end) {
  check_deferred(parameter);
  return deferred_sums_.rows(*run_, worker, parameter, begin, end);
}

/// Each worker updates the columns of the pack that it multiplies with, so that these columns stay in its cache.
bool PackedUpdater::update_strips(const WorkPart& work, int parameter, StripRule& rule) {
  Weight& weight = weights_[parameter];
  if (!weight.only_in_pack || !weight.squares) return false;
  check_deferred(parameter);
  const cpu::PackedWeight& pack = packed_[weight.home.weight];
  const cpu::GradientRows& rows = deferred_sums_.summed_rows(*run_, work.worker, parameter);
  if (rows.ends.back() > DeferredGradients::kFewRows) return false;
  const auto units = split_range(0, pack.units(), work);
  std::int64_t elements = 0;
  constexpr std::size_t kCollective = 2;
  int columns[kCollective];
  std::size_t count = 0;
  const auto update = [&] {
    for (int row = 0, end = 0; row < pack.k(); row = end) {
      end = std::min(row + StripRule::kMostRows, pack.k());
      alignas(64) float gradients[kCollective * StripRule::kMostRows * kRows];
      cpu::gradient_strips(rows, row, end, std::span(columns, count), gradients);
      for (std::size_t s = 0; s < count; ++s) {
        float* const strip = packed_.strip(parameter, row, columns[s]);
        rule.apply(row, columns[s], end - row, strip, gradients + s * (end - row) * kRows);
        packed_.renew_strip(parameter, strip, row, end, columns[s]);
      }
    }
    elements += static_cast<std::int64_t>(count) * pack.k() * kRows;
    count = 0;
  };
  for (int i = pack.slices_of(units.begin); i < pack.slices_of(units.end); ++i) {
    if (pack.slice(i).part != weight.home.part) continue;
    columns[count++] = pack.slice(i).column;
    if (count == kCollective) update();
  }
  if (count > 0) update();
  weight.elements.fetch_add(elements, std::memory_order_relaxed);
  return true;
}

void PackedUpdater::finish() {
  run_ = nullptr;
  for (int p = 0; p < parameters_->size(); ++p) {
    Weight& weight = weights_[p];
    const Shape& shape = parameters_->info(p).shape;
    if (weight.elements == 0 || weight.elements != shape.size()) continue;
    packed_.mark_fresh(*parameters_, p);
    detail::Array& values = detail::ParametersAccess::array(*parameters_, p);
    if (weight.copy != nullptr && values.is_owned()) values.mark_copy_newest(weight.copy);
  }
}

}  // namespace cavs::inline v0_1
