#include "ir/op.h"

namespace cavs::inline v0_1 {

extern const OpDef kParameter{
    .name = "parameter",
    .id = OpId::kParameter,
    .params = {},
    .attributes = attr::Tensor{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kParameter,
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Tensor>().shape); },
    .doc = "A dense parameter, the same for all rows. `name` and `shape` are those of the parameter.",
};

extern const OpDef kConstant{
    .name = "constant",
    .id = OpId::kConstant,
    .params = {},
    .attributes = attr::Constant{},
    .kind = OpKind::kSource,
    .domain = DomainKind::kParameter,
    .linear = LinearRule::kYes,
    .infer = [](Inference& i) { i.set_shape(i.get<attr::Constant>().shape); },
    .doc = "The constant `number` in every element of `shape`, by default [].",
};

extern const OpDef kAccumulate{
    .name = "accumulate",
    .id = OpId::kAccumulate,
    .params = {"g"},
    .attributes = attr::Named{},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },
    .doc = "Adds to the gradient of the parameter `name`.",
};

}  // namespace cavs::inline v0_1
