((if_statement condition: [(true) (false) (integer)] @match))

((elif_clause condition: [(true) (false) (integer)] @match))

((while_statement condition: [(false) (integer)] @match)
 (#not-eq? @match "1"))

((conditional_expression (_) . [(true) (false)] @match . (_)))

((boolean_operator left: [(true) (false) (integer)]) @match
 (#match? @match "^(True|False|0|1)[^0-9]"))

((boolean_operator right: [(true) (false)]) @match
 (#match? @match "(or +True|and +False)$"))

((boolean_operator right: (integer) @value) @match
 (#any-of? @value "0" "1")
 (#match? @match "(and +0|or +1)$"))

((not_operator argument: [(true) (false)]) @match)
