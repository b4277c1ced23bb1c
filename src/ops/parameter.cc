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
    .doc = "A dense parameter: the same for all rows. name, shape: of the parameter.",
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
    .doc = "A number in every element. number: the value; shape: [] unless given.",
};

extern const OpDef kAccumulate{
    .name = "accumulate",
    .id = OpId::kAccumulate,
    .params = {"g"},
    .attributes = attr::Named{},
    .kind = OpKind::kSink,
    .in_public = false,
    .infer = [](Inference& i) { i.set_shape(i.in(0).shape); },
    .doc = "Adds to a parameter's gradient. name: parameter.",
};

}  // namespace cavs::inline v0_1
