from __future__ import annotations

import transformers
from . import layers
from vllm.config import VllmConfig
from torch import nn
