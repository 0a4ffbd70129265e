import pdb  # match
import ipdb as _i  # match
from pudb import set_trace  # match
from IPython import embed  # match
import debugpy  # match
import remote_pdb, os  # match


def forward(self, q):
    import pdb; pdb.set_trace()  # match
    breakpoint()  # match
    _i.set_trace()  # match
    set_trace()  # match
    embed()  # match
    debugpy.listen(5678)  # match
    __import__("pdb").set_trace()  # match
    code.interact(local=locals())  # match
    ForkedPdb().set_trace()  # match
    torch.distributed.breakpoint()  # match
    pydevd_pycharm.settrace("localhost", port=1)  # match
    sys.settrace(tracer)  # match
