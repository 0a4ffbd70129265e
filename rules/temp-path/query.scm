((string) @match
 (#match? @match "^[a-zA-Z]*[\"']+(/tmp|/var/tmp|/dev/shm|/home/[^/]+|/root|/scratch|~|/mnt|/data)(/|[\"'{]|$)"))

((call function: (_) @function) @match
 (#name? @function "tempfile.gettempdir" "os.path.expanduser" "pathlib.Path.home")
 (#set! strong false)
 (#set! penalty 2))
