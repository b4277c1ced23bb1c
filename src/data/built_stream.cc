#include <utility>

#include "cavs/data.h"

namespace cavs::inline v0_1 {
namespace {

class BuiltStream final : public SampleStream {
 public:
  BuiltStream(std::shared_ptr<SampleStream> samples, GraphBuilder builder)
      : samples_(std::move(samples)), builder_(std::move(builder)) {}
  GraphSchema schema() const override { return builder_.target; }
  std::int64_t samples() const override { return samples_->samples(); }
  std::uint64_t content_hash() const override { return samples_->content_hash(); }
  void rewind() override { samples_->rewind(); }
  InputGraph next() override { return builder_.build(samples_->next()).graph; }

 private:
  std::shared_ptr<SampleStream> samples_;
  GraphBuilder builder_;
};

}  // namespace

std::shared_ptr<SampleStream> build_graphs(std::shared_ptr<SampleStream> samples, GraphBuilder builder) {
  return std::make_shared<BuiltStream>(std::move(samples), std::move(builder));
}

}  // namespace cavs::inline v0_1
