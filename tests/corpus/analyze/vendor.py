"""A module in the manner of a serving engine: what is here is the vendor's, loggers, copies to the host and all.

The tests insert debugging code into it and ask whether analysis tells the two apart; the benchmark makes larger modules
by repeating it. As in real modules of that kind, a good part of the bytes is prose: docstrings that explain shapes, and
comments on why a copy or a condition is needed.
"""

import logging
import math
import os
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn

from engine.distributed import get_group, get_rank
from engine.layers import Linear, RMSNorm
from engine.utils import add_prefix

logger = logging.getLogger(__name__)

# Set to a larger number on devices with more memory.
CHUNK = int(os.environ.get("ENGINE_CHUNK", "8192"))


@dataclass
class Config:
    hidden: int
    heads: int
    scale: float = 1.0


def make_positions(length, device):
    # One position per token.
    positions = torch.arange(length, device=device)
    return positions


class Mlp(nn.Module):
    """The feed-forward part.

    Two linear layers with an activation between them. The first widens by a factor of four, the second narrows again;
    both are split over the ranks of the tensor-parallel group, the first by columns and the second by rows, so that one
    reduction at the end is enough.

    Args:
        config: the sizes of the model; only ``hidden`` is looked at.
        prefix: the name under which the checkpoint holds the weights, for quantised layers that are looked up by name.
    """

    def __init__(self, config, prefix=""):
        super().__init__()
        self.up = Linear(config.hidden, 4 * config.hidden, prefix=add_prefix("up", prefix))
        self.down = Linear(4 * config.hidden, config.hidden, prefix=add_prefix("down", prefix))
        if config.hidden > 8192:
            logger.info("wide model: %d", config.hidden)

    def forward(self, x):
        """Apply the layer to ``x`` of shape ``[tokens, hidden]`` and return a tensor of the same shape."""
        return self.down(torch.relu(self.up(x)))


class Attention(nn.Module):
    fused = True

    def __init__(self, config: Config, layer_id: int, prefix: str = ""):
        super().__init__()
        self.layer_id = layer_id
        self.hidden = config.hidden
        self.heads = config.heads
        self.scale = config.scale / math.sqrt(config.hidden // config.heads)
        self.qkv = Linear(config.hidden, 3 * config.hidden, prefix=add_prefix("qkv", prefix))
        self.out = Linear(config.hidden, config.hidden, prefix=add_prefix("out", prefix))
        self.norm = RMSNorm(config.hidden)
        self.initialised = False

    def forward(self, hidden_states, positions, input_ids=None):
        """Attend from every token to every token of its sequence.

        ``hidden_states`` has the shape ``[tokens, hidden]`` with the tokens of all sequences of the batch one after the
        other, ``positions`` the shape ``[tokens]``. The result has the shape of ``hidden_states``. ``input_ids`` is only
        passed through by engines that need the tokens themselves, and may be ``None`` when embeddings are given.
        """
        hidden_states = self.norm(hidden_states)
        qkv = self.qkv(hidden_states)
        q, k, v = qkv.chunk(3, dim=-1)

        # The kernel wants contiguous rows.
        q = q.contiguous()
        k = k.contiguous()
        if positions.numel() > CHUNK:
            output = self._chunked(q, k, v)
        else:
            output = self._attend(q, k, v)

        if not self.initialised:
            self.initialised = True
            logger.info("first forward of layer %d", self.layer_id)
        return self.out(output)

    def _attend(self, q, k, v):
        # Everything at once: fine for short batches, where the matrix of scores is small against the activations of the
        # feed-forward part.
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, v)

    def _chunked(self, q, k, v):
        """Like ``_attend``, a slice of the queries at a time.

        The scores of one slice are all that is alive at any moment, which bounds the memory by ``CHUNK`` rows whatever
        the length of the batch. Slices do not depend on one another, so the result is the same bit for bit.
        """
        parts = []
        for start in range(0, q.shape[0], CHUNK):
            parts.append(self._attend(q[start : start + CHUNK], k, v))
        return torch.cat(parts)


class Model(nn.Module):
    def __init__(self, config, layers):
        super().__init__()
        self.embed = nn.Embedding(1000, config.hidden)
        self.layers = nn.ModuleList([Attention(config, i) for i in range(layers)])
        self.rank = get_rank(get_group())

    def forward(self, input_ids: Optional[torch.Tensor], lengths):
        hidden_states = self.embed(input_ids)
        # Lengths are needed on the host.
        total = lengths.sum().item()
        positions = make_positions(total, hidden_states.device)
        for layer in self.layers:
            hidden_states = layer(hidden_states, positions, input_ids)
        logger.debug("forward of %d tokens", total)
        return hidden_states.cpu() if self.rank == 0 else None

    def load_weights(self, weights):
        """Copy the checkpoint's tensors into the parameters.

        ``weights`` yields pairs of a name and a tensor, in the order of the files of the checkpoint. Names that come
        twice are kept from their first occurrence: some exporters write tied embeddings under both of their names.
        """
        seen = set()
        for name, tensor in weights:
            if name in seen:
                logger.warning("twice: %s", name)
                continue
            seen.add(name)
            self.get_parameter(name).data.copy_(tensor)
        return seen
