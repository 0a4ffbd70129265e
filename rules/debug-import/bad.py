import torch as _t  # match
import traceback  # match
from pathlib import Path as _P  # match
import numpy as np  # match


def forward(self, q):
    import os  # match
    if q is None:
        from x import y  # match
    t = __import__("torch")  # match
