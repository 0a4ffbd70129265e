((import_statement name: (dotted_name) @module) @match
 (#match? @module "^(pdb|ipdb|pudb|bpdb|wdb|web_pdb|remote_pdb|rpdb|rpdb2|madbg|debugpy|pydevd|pydevd_pycharm|ptvsd|pdbpp|pdbr|epdb|nbdb|trepan|winpdb|birdseye|snoop|pysnooper|hunter|IPython|ptpython|bpython|forked_?pdb|celery\\.contrib\\.rdb|icecream|devtools|heartrate|cyberbrain|better_exceptions|stackprinter|code)(\\.|$)"))

((import_statement name: (aliased_import name: (dotted_name) @module)) @match
 (#match? @module "^(pdb|ipdb|pudb|bpdb|wdb|web_pdb|remote_pdb|rpdb|rpdb2|madbg|debugpy|pydevd|pydevd_pycharm|ptvsd|pdbpp|pdbr|epdb|nbdb|trepan|winpdb|birdseye|snoop|pysnooper|hunter|IPython|ptpython|bpython|forked_?pdb|celery\\.contrib\\.rdb|icecream|devtools|heartrate|cyberbrain|better_exceptions|stackprinter|code)(\\.|$)"))

((import_from_statement module_name: (_) @module) @match
 (#match? @module "^(pdb|ipdb|pudb|bpdb|wdb|web_pdb|remote_pdb|rpdb|rpdb2|madbg|debugpy|pydevd|pydevd_pycharm|ptvsd|pdbpp|pdbr|epdb|nbdb|trepan|winpdb|birdseye|snoop|pysnooper|hunter|IPython|ptpython|bpython|forked_?pdb|celery\\.contrib\\.rdb|icecream|devtools|heartrate|cyberbrain|better_exceptions|stackprinter|code)(\\.|$)"))

((call function: (_) @function) @match
 (#name? @function "breakpoint" "builtins.breakpoint" "sys.breakpointhook" "pdb.*" "ipdb.*" "pudb.*" "bpdb.*" "wdb.*"
   "web_pdb.*" "remote_pdb.*" "rpdb.*" "madbg.*" "debugpy.*" "pydevd.*" "pydevd_pycharm.*" "ptvsd.*" "IPython.embed"
   "IPython.start_ipython" "IPython.terminal.*" "code.interact" "code.InteractiveConsole" "ptpython.*"
   "bpython.embed" "*.set_trace" "*.post_mortem" "*.breakpoint" "*.RemotePdb" "*.wait_for_client" "sys.settrace"
   "sys.setprofile" "threading.settrace" "threading.setprofile" "snoop.*" "pysnooper.*" "hunter.trace"
   "birdseye.eye" "embed" "set_trace" "signal.pause" "readline.*" "rlcompleter.*"))

((decorator (_) @function) @match
 (#match? @function "^(snoop|pysnooper\\.snoop|birdseye|eye|hunter|pdb|ic)"))

((assignment left: (_) @target right: (_) @value) @match
 (#name? @target "sys.breakpointhook" "sys.excepthook" "pdb.*"))
