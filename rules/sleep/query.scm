((call function: (_) @function) @match
 (#name? @function "time.sleep" "asyncio.sleep" "*.sleep" "sleep" "torch.cuda._sleep" "gevent.sleep" "signal.pause"
   "input" "raw_input" "builtins.input" "threading.Event().wait" "signal.alarm" "signal.setitimer"))
