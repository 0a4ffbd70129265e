"""A module in the manner of a serving engine: what is here is the vendor's, loggers, copies to the host and all."""

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
    """The feed-forward part."""

    def __init__(self, config, prefix=""):
        super().__init__()
        self.up = Linear(config.hidden, 4 * config.hidden, prefix=add_prefix("up", prefix))
        self.down = Linear(4 * config.hidden, config.hidden, prefix=add_prefix("down", prefix))
        if config.hidden > 8192:
            logger.info("wide model: %d", config.hidden)

    def forward(self, x):
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
        scores = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, v)

    def _chunked(self, q, k, v):
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
        seen = set()
        for name, tensor in weights:
            if name in seen:
                logger.warning("twice: %s", name)
                continue
            seen.add(name)
            self.get_parameter(name).data.copy_(tensor)
        return seen
