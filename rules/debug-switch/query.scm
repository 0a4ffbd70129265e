((assignment left: (_) @target) @match
 (#contains? @target "debug" "dbg" "verbose" "dump" "trace")
 (#match? @target "(?i)(^|[._])(debug|dbg|verbose|dump|trace)([._]|$)|^_?[a-z]*(debug|dbg)"))

((if_statement condition: (_) @match)
 (#contains? @match "debug" "dbg" "dump" "verbose" "trace_"))

((default_parameter name: (_) @target) @match
 (#contains? @target "debug" "dbg" "dump" "verbose"))

((keyword_argument name: (_) @target) @match
 (#contains? @target "debug" "dbg" "dump")
 (#match? @target "(?i)^_?(debug|dbg|dump)"))

((function_definition name: (identifier) @target) @match
 (#match? @target "(?i)(^|_)(debug|dbg|dump|probe)(_|$)|^_(log|save|print|check|trace|maybe)_?")
 (#set! penalty 1))
