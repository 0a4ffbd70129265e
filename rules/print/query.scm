((call function: (_) @function) @match
 (#name? @function "print" "builtins.print" "pprint.pprint" "pprint.pp" "pprint" "pp" "rich.print" "rich.inspect"
   "sys.stderr.write" "sys.stdout.write" "sys.__stderr__.write" "sys.__stdout__.write" "ic" "icecream.ic" "tqdm.write" "tqdm.tqdm.write"
   "*.console.print" "console.print" "jax.debug.print" "*.device_print" "tl.device_print" "devtools.debug" "click.echo"
   "typer.echo" "syslog.syslog" "*.print_exc" "sys.displayhook" "torch.set_printoptions" "numpy.set_printoptions"))

(print_statement) @match

; Loggers by their customary names: logger.info, self.log.warning, logging.debug, get_logger().error.
((call function: (attribute object: (_) @logger attribute: (identifier) @method)) @match
 (#any-of? @method "debug" "info" "warning" "warn" "error" "exception" "critical" "log" "fatal" "success" "trace" "info_once"
   "warning_once" "debug_once" "print_info_once" "print_warning_once")
 (#match? @logger "(?i)(^|[._])log(ger|ging)?(_[a-z]+)?(\\(.*\\))?$|^logg|^loguru")
 (#set! penalty 2))

; The same with a tensor or a debugging word in it.
((call function: (attribute object: (_) @logger attribute: (identifier) @method) arguments: (_) @arguments) @match
 (#any-of? @method "debug" "info" "warning" "warn" "error" "exception" "critical" "log" "info_once" "warning_once")
 (#match? @logger "(?i)(^|[._])log(ger|ging)?(_[a-z]+)?(\\(.*\\))?$|^logg|^loguru")
 (#match? @arguments "(?i)\\.shape|\\.size\\(|\\.dtype|\\.norm\\(|\\.abs\\(|\\.mean\\(|\\.sum\\(|\\.max\\(|\\.item\\(|\\.tolist\\(|\\.cpu\\(|\\.isnan|isnan\\(|\\.device|tensor|debug|dbg|dump|xxx|!!!|>>>|===|\\*\\*\\*|###|here|/tmp/|[^a-z]_[a-z]|_save[^a-z]")
 (#set! penalty 1))

((call function: (_) @function) @match
 (#name? @function "print" "builtins.print" "sys.stderr.write")
 (#match? @match "(?i)\\.shape|\\.dtype|\\.norm\\(|\\.mean\\(|\\.item\\(|\\.cpu\\(|debug|dbg|dump|xxx|!!!|>>>|===|here|flush *= *True|stderr")
 (#set! penalty 0))

((call function: (_) @function) @match
 (#name? @function "warnings.warn" "warnings.warn_explicit")
 (#set! penalty 2))

((call function: (_) @function) @match
 (#name? @function "torch.set_printoptions" "numpy.set_printoptions" "logging.basicConfig" "*.setLevel" "*.addHandler"
   "logging.getLogger")
 (#set! penalty 2))
