#include "cli/history_file.h"

#include <filesystem>
#include <optional>
#include <vector>

#include "cavs/readers.h"
#include "support/check.h"

namespace cavs::cli {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;

/// True if the line records epoch number `epoch` (from 0), with the loss train_loss[epoch].
bool is_epoch(std::string_view line, std::size_t epoch, const std::vector<double>& train_loss) {
  const auto json = nlohmann::json::parse(line, nullptr, false);
  return json.is_object() && json.value("epoch", nlohmann::json()) == epoch + 1 &&
         json.value("train_loss", nlohmann::json()) == train_loss[epoch];
}

/// Returns the lines of the epochs in `train_loss`; nullopt if a line records another epoch. Later lines are dropped,
/// because their epochs run again.
std::optional<std::string> kept_lines(const std::string& path, const std::vector<double>& train_loss) {
  const std::string text = read_text_file(path, kMostBytes);
  std::string_view rest = text;
  for (std::size_t epoch = 0; !rest.empty() && epoch < train_loss.size(); ++epoch) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.size() == rest.size() || !is_epoch(line, epoch, train_loss)) return std::nullopt;
    rest.remove_prefix(line.size() + 1);
  }
  return text.substr(0, text.size() - rest.size());
}

}  // namespace

HistoryFile::HistoryFile(std::string path, const TrainingRecord& record, bool overwrite) : path_(std::move(path)) {
  const auto epochs = record.metrics.find("train_loss");
  if (path_.empty() || epochs == record.metrics.end() || !std::filesystem::exists(path_)) return;
  const std::optional<std::string> kept = kept_lines(path_, epochs->second);
  user_check(kept || overwrite,
             "--history {}: the file already exists, and does not record the epochs of the resumed training; "
             "give another name, or --overwrite to replace it",
             path_);
  text_ = kept.value_or("");
}

void HistoryFile::add(const Json& epoch) {
  if (path_.empty()) return;
  text_ += epoch.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  write_file("--history", path_, text_);
}

}  // namespace cavs::cli
