import torch


def install(model):
    model.register_forward_hook(hook)  # match
    for layer in model.layers:
        layer.mlp.register_forward_pre_hook(hook)  # match
    torch.nn.modules.module.register_module_forward_hook(hook)  # match
    model.layers[0].register_full_backward_hook(hook)  # match
    x.register_hook(print)  # match
    model.forward = wrapper  # match
    Attention.forward = types.MethodType(f, model)  # match
    torch.save = mine  # match
    setattr(model, "forward", wrapper)  # match
