"""The operator `lanewise::swiglu` of PyTorch, with its gradient."""

import torch

from ._native import backward_at, forward_at


def _on(tensor: torch.Tensor) -> tuple[int, int]:
    device = tensor.device.index
    return device, torch.cuda.current_stream(device).cuda_stream


def _check(*tensors: torch.Tensor) -> None:
    first = tensors[0]
    for tensor in tensors:
        if not tensor.is_cuda or tensor.device != first.device:
            raise ValueError(f"expected tensors on one CUDA device, found {first.device} and {tensor.device}")
        if tensor.dtype != torch.float32 or tensor.shape != first.shape:
            raise ValueError(f"expected float32 of shape {tuple(first.shape)}, found {tensor.dtype} of shape {tuple(tensor.shape)}")


# ANCHOR: operator
@torch.library.custom_op("lanewise::swiglu", mutates_args=())
def swiglu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    _check(a, b)
    a, b = a.contiguous(), b.contiguous()
    y = torch.empty_like(a)
    forward_at(a.data_ptr(), b.data_ptr(), y.data_ptr(), y.numel(), *_on(a))
    return y
# ANCHOR_END: operator


@torch.library.custom_op("lanewise::swiglu_backward", mutates_args=())
def swiglu_backward(a: torch.Tensor, b: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    _check(a, b, y)
    a, b, y = a.contiguous(), b.contiguous(), y.contiguous()
    by_a, by_b = torch.empty_like(a), torch.empty_like(b)
    addresses = [tensor.data_ptr() for tensor in (a, b, y, by_a, by_b)]
    backward_at(addresses, y.numel(), *_on(a))
    return by_a, by_b


# ANCHOR: gradient
# The shapes of the results, for torch.compile.
swiglu.register_fake(lambda a, b: torch.empty_like(a))
swiglu_backward.register_fake(lambda a, b, y: (torch.empty_like(a), torch.empty_like(b)))


def _save(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradient(ctx, by_y):
    return swiglu_backward(*ctx.saved_tensors, by_y)


swiglu.register_autograd(_gradient, setup_context=_save)
# ANCHOR_END: gradient
