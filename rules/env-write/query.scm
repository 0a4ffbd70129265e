((assignment left: (subscript value: (_) @object)) @match
 (#name? @object "os.environ" "environ" "os.environb"))

((delete_statement (subscript value: (_) @object)) @match
 (#name? @object "os.environ" "environ"))

((call function: (_) @function) @match
 (#name? @function "os.putenv" "os.unsetenv" "os.environ.setdefault" "os.environ.update" "os.environ.pop"
   "environ.setdefault" "environ.update" "environ.pop"))
