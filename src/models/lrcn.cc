#include "cavs/layers.h"
#include "data/generators.h"
#include "models/classes.h"

namespace cavs::inline v0_1 {

// Long-term recurrent convolutional net (Donahue et al., CVPR 2015, section 4: activity recognition): a small
// convolutional net reads each frame of a film, an LSTM reads its outputs, and the last frame predicts the class. The
// convolutional net of a frame reads no other frame, so it runs over all frames of the minibatch at once.
Model lrcn(const ModelConfig& config) {
  Model m({.seed = config.seed});
  constexpr int kFirst = 8, kSecond = 16, kSeen = kFrameSide / 4 * (kFrameSide / 4) * kSecond;
  auto K1 = m.parameter("K1", {3, 3, 1, kFirst}), k1 = m.parameter("k1", {kFirst}, zeros());
  auto K2 = m.parameter("K2", {3, 3, kFirst, kSecond}), k2 = m.parameter("k2", {kSecond}, zeros());
  const Linear projection(m, "projection", kSeen, config.embedding);
  const LstmCell cell(m, "", config.embedding, config.hidden);

  m.vertex_function("frame", [&](Vertex& v) {
    auto frame = reshape(v.pull("pixels", kFrameSide * kFrameSide), {kFrameSide, kFrameSide, 1});
    auto edges = max_pool2d(relu(conv2d(frame, K1, k1, 1, 1)), {2, 2}, 2);
    auto forms = max_pool2d(relu(conv2d(edges, K2, k2, 1, 1)), {2, 2}, 2);
    predict_class(m, v, config, cell.step(v, relu(projection(reshape(forms, {kSeen})))));
  });
  return m;
}

}  // namespace cavs::inline v0_1
