#include "train/training_session.h"

#include <utility>

namespace cavs {
namespace {

SessionOptions with_engine(SessionOptions options, EngineKind engine) {
  options.engine = engine;
  options.check_scripts = options.check_scripts && engine == EngineKind::kPersistent;
  return options;
}

}  // namespace

TrainingSession::TrainingSession(std::shared_ptr<const Program> program, std::shared_ptr<Parameters> parameters,
                                 const SessionOptions& options)
    : engine_(options.device == DeviceKind::kCpu || options.engine != EngineKind::kAuto ? options.engine
                                                                                        : EngineKind::kPersistent) {
  if (engine_ != EngineKind::kAuto) {
    batched_ = std::make_unique<Session>(std::move(program), std::move(parameters), options);
  } else {
    batched_ = std::make_unique<Session>(program, parameters, with_engine(options, EngineKind::kBatched));
    persistent_ = std::make_unique<Session>(std::move(program), std::move(parameters),
                                            with_engine(options, EngineKind::kPersistent));
  }
  current_ = batched_.get();
}

void TrainingSession::add(double milliseconds, std::int64_t vertices) {
  if (engine_ != EngineKind::kAuto) return;
  const bool is_made = choice_.add(milliseconds, vertices);
  const EngineKind next = choice_.next();
  current_ = next == EngineKind::kPersistent ? persistent_.get() : batched_.get();
  if (!is_made) return;
  engine_ = next, times_ = choice_.times();
  (next == EngineKind::kPersistent ? batched_ : persistent_).reset();  // brings its weights back
}

}  // namespace cavs
