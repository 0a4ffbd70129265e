((call function: (_) @function) @match
 (#name? @function "os._exit" "sys.exit" "exit" "quit" "os.abort" "os.kill" "os.killpg" "signal.raise_signal"
   "signal.kill" "posix._exit" "faulthandler._sigsegv" "ctypes.string_at")
 (#set! penalty 0))

((raise_statement (_) @error) @match
 (#match? @error "^(SystemExit|KeyboardInterrupt|StopIteration|Exception|BaseException)([(]|$)|[Dd]ebug|DEBUG|stop here"))
