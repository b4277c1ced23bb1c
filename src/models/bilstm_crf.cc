#include "models/classes.h"
#include "models/tagger_parts.h"

namespace cavs::inline v0_1 {

// Bidirectional LSTM tagger that spells rare words, with a linear-chain CRF over its tags (Lample et al., NAACL 2016).
// The CRF consists of two vertex functions. The first computes, along the chain, the likelihood in the log semiring
// (the sum of z over the chain is the log of the partition function) and the best scores in the max-plus semiring. The
// second, along the reversed chain, chooses the tags (Viterbi decoding) and computes the marginals (forward filtering,
// backward smoothing): P(tag) = sum over next tags of P(next) P(tag | next). All factors are in [0, 1], however large
// the scores are.
Model bilstm_crf(const ModelConfig& config) {
  Model m({.seed = config.seed});
  const int k = config.classes;
  add_spelled_bilstm(m, config);
  auto T = m.parameter("transitions", {k, k}), S = m.parameter("start", {k}, zeros());
  const auto crf = [&](Vertex& v) {
    auto scores = class_scores(m, config, mlp(m, v, config.hidden));
    auto inner = v.gather(0, "one");  // 0 at the first token, which has no child
    auto here = scores + multiply(1 - inner, S);
    auto alpha = inner * log_matmul(v.gather(0, "alpha"), T) + here;
    auto z = log_sum_exp(alpha);
    auto tag = one_hot(v.pull_index("label"), k);
    v.scatter("one", v.constant(1));
    v.scatter("alpha", alpha - z);
    v.scatter("tag", tag);
    v.loss(z - dot(tag, v.gather(0, "tag") * T + here));
    auto best = inner * max_matmul(v.gather(0, "best"), T) + here;
    v.scatter("best", best);
    v.push("best", best);
    v.push("alpha", alpha);
  };
  m.vertex_function("crf", crf, {.over = {"token"}});
  connect_both(m, "", "crf");
  const auto decode = [&](Vertex& v) {
    auto choice = hard_max(v.pull("best", k) + batch_matmul(v(T), v.gather(0, "choice")));
    v.scatter("choice", choice);
    v.push("logits", choice);
    auto alpha = v.pull("alpha", k), ones = reshape(v(S) * 0 + 1, {1, k});
    auto here = batch_matmul(reshape(alpha, {k, 1}), ones) + v(T);  // [this tag, next tag]: log of the weight of both
    auto next = batch_matmul(reshape(ones, {k, 1}), reshape(log_matmul(alpha, T), {1, k}));
    auto inner = v.gather(0, "one");  // 0 at the last token
    auto marginals = inner * batch_matmul(exp(here - next), v.gather(0, "marginals")) + (1 - inner) * softmax(alpha);
    v.scatter("one", v.constant(1));
    v.scatter("marginals", marginals);
    v.push("probabilities", marginals);
  };
  m.vertex_function("decode", decode, {.over = {"token"}, .reverse = true});
  m.connect({"crf", "best"}, {"decode", "best"});
  m.connect({"crf", "alpha"}, {"decode", "alpha"});
  return m;
}

}  // namespace cavs::inline v0_1
