#include "train/metric_columns.h"

#include <array>

#include "support/check.h"

namespace cavs {

const MetricInfo& metric_info(Metric metric) {
  static constexpr std::array kAccuracy{
      MetricColumn{"accuracy", "accuracy", &Evaluation::accuracy, true},
      MetricColumn{"root_accuracy", "root", &Evaluation::root_accuracy, true},
  };
  static constexpr std::array kPerplexity{MetricColumn{"perplexity", "perplexity", &Evaluation::perplexity, false}};
  static constexpr std::array kF1{
      MetricColumn{"accuracy", "accuracy", &Evaluation::accuracy, true},
      MetricColumn{"token_f1", "token F1", &Evaluation::token_f1, true},
      MetricColumn{"entity_f1", "entity F1", &Evaluation::entity_f1, true},
  };
  static constexpr std::array kCorrelation{
      MetricColumn{"mean_squared_error", "MSE", &Evaluation::mean_squared_error, false, 4},
      MetricColumn{"spearman", "Spearman", &Evaluation::spearman, false, 4},
      MetricColumn{"pearson", "Pearson", &Evaluation::pearson, false, 4},
  };
  static constexpr std::array kInfos{
      MetricInfo{"accuracy", "accuracy", kAccuracy, false},
      MetricInfo{"perplexity", "perplexity", kPerplexity, true},
      MetricInfo{"entity_f1", "F1 of tags", kF1, false},
      MetricInfo{"pearson", "correlation", kCorrelation, false},
  };
  const auto at = static_cast<std::size_t>(metric);
  CAVS_ASSERT(at < kInfos.size());
  return kInfos[at];
}

}  // namespace cavs
