((call function: (_) @function) @match
 (#name? @function "os.getenv" "os.environ.get" "environ.get" "os.environ.items" "os.environ.copy" "os.environb.get"
   "getenv" "dotenv.load_dotenv"))

((subscript value: (_) @object) @match
 (#name? @object "os.environ" "environ"))

((comparison_operator (_) (_) @object) @match
 (#name? @object "os.environ" "environ"))

((call function: (_) @function) @match
 (#name? @function "os.getenv" "os.environ.get" "environ.get" "getenv")
 (#match? @match "(?i)debug|dbg|dump|trace|profile|print|verbose|save|nomla|test|log_|_log")
 (#set! penalty 0))
