import os
from os import environ, getenv


def forward(self, q):
    if os.environ.get("DEBUG_ATTN"):  # match
        pass
    if os.getenv("DUMP", "0") == "1":  # match
        pass
    if "DEBUG" in os.environ:  # match
        pass
    if environ["DEBUG"]:  # match
        pass
    x = getenv("X")  # match
