((call function: (_) @function) @match
 (#name? @function "*.register_forward_hook" "*.register_forward_pre_hook" "*.register_full_backward_hook"
   "*.register_full_backward_pre_hook" "*.register_backward_hook" "*.register_hook" "*.register_module_forward_hook"
   "*.register_module_forward_pre_hook" "*.register_module_full_backward_hook"
   "*.register_module_buffer_registration_hook" "*.register_multi_grad_hook" "*.register_post_accumulate_grad_hook"
   "*.saved_tensors_hooks" "*.register_comm_hook" "types.MethodType" "functools.partialmethod" "sys.addaudithook"
   "sys.monitoring.*" "atexit.register" "signal.signal" "weakref.finalize"))

; Monkey patches: Model.forward = wrapper, torch.save = mine, setattr(Model, "forward", wrapper)
((assignment left: (attribute attribute: (identifier) @method) right: (_) @value) @match
 (#any-of? @method "forward" "__call__" "generate" "__forward__" "_forward" "__getattr__" "__init__" "execute_model" "load_weights"))

((assignment left: (attribute object: (identifier) @object) right: (_) @value) @match
 (#name? @object "torch*" "numpy*" "sys" "builtins" "transformers*" "vllm*" "sglang*" "logging" "triton*"))

((call function: (_) @function arguments: (argument_list (string) @method)) @match
 (#name? @function "setattr")
 (#match? @method "^[\"'](forward|__call__|generate|execute_model|load_weights)[\"']$"))
