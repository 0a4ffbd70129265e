((assignment left: (_) @flag right: (_) @value) @match
 (#any-of? @value "True" "False")
 (#match? @flag "(?i)(^|\\.|[\"'])_|debug|dbg|dump|done|saved?|printed|logged|first|once|captured|seen|fired|shown|written|reported|warned|flag|traced|probed|hit"))

; Set in a dictionary, by setattr, or by membership.
((assignment left: (subscript) @flag right: (_) @value) @match
 (#any-of? @value "True" "False")
 (#match? @flag "globals\\(\\)|__dict__|_(seen|done|saved|dumped|flags|state)"))

((call function: (_) @function arguments: (argument_list (string) @flag)) @match
 (#name? @function "hasattr" "setattr" "getattr" "delattr")
 (#match? @flag "(?i)(^|\\.|[\"'])_|debug|dbg|dump|done|saved?|printed|logged|first|once|captured|seen|fired|shown|written|reported|warned|flag|traced|probed|hit"))

((call function: (attribute object: (_) @flag attribute: (identifier) @method)) @match
 (#any-of? @method "add" "append" "discard")
 (#match? @flag "(?i)(^|\\.)_*(seen|dumped|saved|done|logged|printed|fired|debug)[a-z_]*$"))

((call function: (_) @function) @match
 (#name? @function "threading.Event" "*.is_set" "functools.lru_cache" "functools.cache")
 (#match? @match "(?i)_once|_done|debug"))

((assignment left: (_) @flag right: (_) @value) @match
 (#any-of? @value "set()" "[]" "{}" "None" "dict()" "list()")
 (#match? @flag "(?i)(^|\\.)_*(seen|dumped|saved|done|logged|printed|fired|debug|dbg|captured|dump)[a-z_]*$"))

(global_statement) @match
