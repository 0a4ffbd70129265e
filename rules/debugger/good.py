import codecs
import pdbparse
from encode import code


def f(self):
    self.embedding(code)
    embed_tokens(code)
    return code.co_name, self.trace()
