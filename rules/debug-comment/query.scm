((comment) @match
 (#contains? @match "debug" "dbg" "xxx" "hack" "nocommit" "wip" "temp" "tmp" "kludge" "begin" "end" "start" "patch" "local"
   "!!!" ">>>" "<<<" "====" "--------" "####")
 (#match? @match "(^|[^A-Za-z])(DEBUG|DBG|XXX|HACK|NOCOMMIT|WIP|TEMP|TMP|KLUDGE|BEGIN|END|START|PATCH|PATCHED|LOCAL)([^A-Za-z]|$)|!!!|>>>|<<<|={4}|-{8}|#{4}")
 (#set! penalty 0))

((comment) @match
 (#contains? @match "debug" "dbg" "hack" "nocommit" "remove" "do not" "don't" "test" "temporar" "just" "my " "probe"
   "instrument" "dump" "save" "print" "capture")
 (#match? @match "(?i)debug|(^|[^a-z])(dbg|hack|hacky|nocommit|remove (me|this|before|later|after)|do not (commit|merge)|don't (commit|merge)|for testing|test only|temporar(y|ily)|just for|my (change|patch|edit|fix)|probe|instrument(ed|ation)?|dump(s|ed|ing)?|save (the )?(tensors?|inputs?|outputs?|q|k|hidden)|print (the )?(shape|tensor)|capture)([^a-z]|$)")
 (#set! penalty 1))

((comment) @match
 (#contains? @match "todo" "fixme" "xxx")
 (#match? @match "(?i)(^|[^a-z])(todo|fixme|xxx)([^a-z]|$)")
 (#set! penalty 2))

; Code that was turned off: as a string that is no docstring, as a comment.
((block (_) (expression_statement (string)) @match)
 (#set! penalty 2))

((comment) @match
 (#match? @match "^#+ *((print|breakpoint|logger\\.[a-z]+|torch\\.[a-z_.]+|np\\.[a-z_.]+|assert|self\\.[a-z_.]+) *\\(|import [a-z_.]+( as [a-z_]+)?$|from [a-z_.]+ import|(if|elif|while|for|with|def|class|try|else|except)([ (].*)?: *$|return( |$)|[a-zA-Z_][a-zA-Z0-9_.]*( *\\[[^]]*\\])? *[-+*/]?= *[^= ]|[a-zA-Z_][a-zA-Z0-9_.]*\\(.*\\) *$)")
 (#set! penalty 2))
