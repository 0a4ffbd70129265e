((import_statement name: (dotted_name) @module) @match
 (#match? @module "^(cProfile|profile|pstats|line_profiler|torch\\.profiler|torch\\.autograd\\.profiler|nvtx|viztracer|pyinstrument|tracemalloc|faulthandler|memray|memory_profiler|scalene|yappi|objgraph|pympler|guppy|timeit|py_spy|austin|psutil|pynvml|resource)(\\.|$)"))

((import_statement name: (aliased_import name: (dotted_name) @module)) @match
 (#match? @module "^(cProfile|profile|pstats|line_profiler|torch\\.profiler|torch\\.autograd\\.profiler|nvtx|viztracer|pyinstrument|tracemalloc|faulthandler|memray|memory_profiler|scalene|yappi|objgraph|pympler|guppy|timeit|py_spy|austin|psutil|pynvml|resource)(\\.|$)"))

((import_from_statement module_name: (_) @module) @match
 (#match? @module "^(cProfile|profile|pstats|line_profiler|torch\\.profiler|torch\\.autograd\\.profiler|nvtx|viztracer|pyinstrument|tracemalloc|faulthandler|memray|memory_profiler|scalene|yappi|objgraph|pympler|guppy|timeit|py_spy|austin|psutil|pynvml|resource)(\\.|$)"))

((call function: (_) @function) @match
 (#name? @function "torch.profiler.*" "torch.autograd.profiler.*" "*.record_function" "cProfile.*" "pstats.*"
   "line_profiler.*" "viztracer.*" "pyinstrument.*" "tracemalloc.*" "faulthandler.*" "memray.*" "memory_profiler.*"
   "scalene.*" "yappi.*" "objgraph.*" "timeit.*" "nvtx.*" "torch.cuda.nvtx.*" "torch.cuda.profiler.*"
   "torch.cuda.memory._record_memory_history" "torch.cuda.memory._dump_snapshot" "torch.cuda.memory_summary"
   "torch.cuda.memory_stats" "torch.cuda.memory_snapshot" "torch.cuda.cudart" "gc.get_objects" "resource.getrusage")
 (#set! penalty 0))

((call function: (_) @function) @match
 (#name? @function "time.time" "time.time_ns" "time.perf_counter" "time.perf_counter_ns" "time.monotonic"
   "time.monotonic_ns" "time.process_time" "time.thread_time" "datetime.datetime.now" "datetime.now"
   "torch.cuda.Event" "*.elapsed_time" "torch.cuda.memory_allocated" "torch.cuda.memory_reserved"
   "torch.cuda.max_memory_allocated" "torch.cuda.max_memory_reserved" "torch.cuda.reset_peak_memory_stats"
   "torch.cuda.mem_get_info" "psutil.*" "pynvml.*"))

((decorator (_) @function) @match
 (#match? @function "^(.*\\.)?(profile|profiler|timeit|timed?|nvtx\\.annotate|memory_profiler|record_function|instrument|trace)(\\(|$)")
 (#set! penalty 0))
