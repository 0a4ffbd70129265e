import cProfile  # match
from torch.profiler import profile, record_function  # match
import tracemalloc as tm  # match


@profile  # match
def forward(self, q):
    t0 = time.perf_counter()  # match
    with torch.profiler.profile() as p:  # match
        pass
    with record_function("attn"):  # match
        pass
    torch.cuda.nvtx.range_push("attn")  # match
    start = torch.cuda.Event(enable_timing=True)  # match
    ms = start.elapsed_time(end)  # match
    tm.start()  # match
    faulthandler.dump_traceback_later(60)  # match
    used = torch.cuda.memory_allocated()  # match
    dt = time.time() - t0  # match
