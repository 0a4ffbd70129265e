((call function: (_) @function) @match
 (#name? @function "traceback.*" "inspect.stack" "inspect.currentframe" "inspect.trace" "inspect.getouterframes"
   "inspect.getframeinfo" "inspect.getsource" "inspect.getsourcefile" "sys._getframe" "sys.exc_info"
   "sys._current_frames" "dis.dis" "locals" "globals" "vars" "dir" "print_stack" "print_exc" "format_exc"
   "format_stack" "torch._C._get_python_stack"))
