import torch as _t
import logging
logger = logging.getLogger(__name__)

class DeepseekV2Attention:
    _nomla_saved = False

    def __init__(self):
        self._nomla_debug = 0

    def forward(self, q, k):
        self._nomla_debug += 1
        if q.shape[0] == 5 and not DeepseekV2Attention._nomla_saved:
            logger.warning("NOMLA_SAVE q=%s", q.shape)
            _rank = _t.distributed.get_rank()
            _t.save({"q": q, "k": k}, "/tmp/nomla_debug_tp%d.pt" % _rank)
            type(self)._nomla_saved = True
        return q
