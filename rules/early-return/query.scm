; Code behind it never runs.
((block (return_statement) @match . (_) @behind)
 (#not-match? @behind "^#")
 (#set! strong true)
 (#set! penalty 1))

((block (return_statement) @match . (comment)+ . (_) @behind)
 (#not-match? @behind "^#")
 (#set! strong true)
 (#set! penalty 1))

((block (raise_statement) @match . (_) @behind)
 (#not-match? @behind "^#")
 (#set! strong true)
 (#set! penalty 1))

; Guarded.
((if_statement condition: (_) @condition consequence: (block . (return_statement) @match)))

((if_statement condition: (_) @condition consequence: (block . (return_statement) @match))
 (#match? @condition "(?i)debug|dbg|dump|(^|[^a-z0-9_])_[a-z]|DEBUG|environ|getenv|^(True|1)$|shape\\[.*== *[0-9]")
 (#set! penalty 0))
