#include <array>
#include <string>
#include <vector>

#include "cavs/evaluator.h"
#include "support/check.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {

const MetricInfo& metric_info(Metric metric) {
  static constexpr std::array kAccuracy{
      MetricColumn{"accuracy", "accuracy", &Evaluation::accuracy, true},
      MetricColumn{"root_accuracy", "root", &Evaluation::root_accuracy, true},
  };
  static constexpr std::array kPerplexity{
      MetricColumn{"perplexity", "perplexity", &Evaluation::perplexity, false, 2, true}};
  static constexpr std::array kF1{
      MetricColumn{"accuracy", "accuracy", &Evaluation::accuracy, true},
      MetricColumn{"token_f1", "token F1", &Evaluation::token_f1, true},
      MetricColumn{"entity_f1", "entity F1", &Evaluation::entity_f1, true},
  };
  static constexpr std::array kCorrelation{
      MetricColumn{"mean_squared_error", "MSE", &Evaluation::mean_squared_error, false, 4, true},
      MetricColumn{"spearman", "Spearman", &Evaluation::spearman, false, 4},
      MetricColumn{"pearson", "Pearson", &Evaluation::pearson, false, 4},
  };
  static constexpr std::array kInfos{
      MetricInfo{"accuracy", "accuracy", kAccuracy},
      MetricInfo{"perplexity", "perplexity", kPerplexity},
      MetricInfo{"entity_f1", "F1 of tags", kF1},
      MetricInfo{"pearson", "correlation", kCorrelation},
  };
  const auto at = static_cast<std::size_t>(metric);
  CAVS_ASSERT(at < kInfos.size());
  return kInfos[at];
}

const MetricColumn& find_measure(std::string_view name, std::optional<Metric> metric) {
  static constexpr MetricColumn kLoss{"loss", "loss", &Evaluation::loss, false, 4, true};
  const auto columns = metric ? metric_info(*metric).columns : std::span<const MetricColumn>();
  if (name.empty()) return columns.empty() ? kLoss : columns.back();
  std::vector<std::string> known{kLoss.name};
  if (name == kLoss.name) return kLoss;
  for (const MetricColumn& column : columns) {
    if (name == column.name || (name == "mse" && column.value == &Evaluation::mean_squared_error)) return column;
    known.emplace_back(column.name);
  }
  user_error("epochs cannot be compared by '{}', which is not computed for this model; {}", name, suggest(name, known));
}

}  // namespace cavs::inline v0_1
