((call function: (_) @function) @match
 (#name? @function "torch.manual_seed" "torch.cuda.manual_seed" "torch.cuda.manual_seed_all" "random.seed"
   "numpy.random.seed" "transformers.set_seed" "torch.use_deterministic_algorithms"
   "torch.set_float32_matmul_precision" "torch.set_default_dtype" "torch.set_num_threads" "torch.set_grad_enabled"
   "torch.autograd.set_grad_enabled" "torch.compiler.disable" "torch._dynamo.disable" "torch._dynamo.reset"
   "torch.set_deterministic_debug_mode" "torch.set_warn_always" "torch.set_default_device" "set_seed"
   "*.fill_uninitialized_memory"))

((assignment left: (_) @target right: (_) @value) @match
 (#name? @target "torch.backends.*" "torch._dynamo.*" "torch._inductor.*" "torch.utils.deterministic.*"))

((decorator (_) @function) @match
 (#match? @function "^torch\\.(_dynamo\\.disable|compiler\\.disable|jit\\.(unused|ignore))"))
