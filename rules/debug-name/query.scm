((call function: (_) @function) @match
 (#contains? @function "debug" "dbg" "dump" "probe" "nocommit")
 (#not-match? @function "\\.(debug|dump|dumps)$|model_dump|^debug_print$"))

((expression_statement (call function: (_) @function)) @match
 (#match? @function "^(self\\.|cls\\.)?_[a-zA-Z0-9_]*$")
 (#set! penalty 9))

((assignment left: (identifier) @target) @match
 (#match? @target "^_[a-z]")
 (#has-ancestor? @match function_definition)
 (#set! penalty 9))
