((except_clause (block . [(pass_statement) (continue_statement) (return_statement)] .)) @match)

((except_clause (block . (expression_statement (call function: (_) @function)) .)) @match
 (#match? @function "^print$|log|traceback|warn"))

((except_clause) @match
 (#match? @match "^except *:"))

((call function: (_) @function) @match
 (#name? @function "contextlib.suppress" "suppress"))
