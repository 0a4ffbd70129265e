((call function: (attribute attribute: (identifier) @method)) @match
 (#any-of? @method "cpu" "item" "tolist" "numpy" "synchronize"))

((call function: (attribute attribute: (identifier) @method) arguments: (argument_list (string) @device)) @match
 (#any-of? @method "to")
 (#match? @device "cpu"))

((call function: (_) @function) @match
 (#name? @function "torch.cuda.synchronize" "torch.npu.synchronize" "torch.xpu.synchronize" "torch.accelerator.synchronize"
   "*.block_until_ready" "jax.device_get" "torch.distributed.barrier" "dist.barrier" "*.barrier" "*.empty_cache" "gc.collect")
 (#set! penalty 1))
