((comparison_operator) @match
 (#match? @match "(shape(\\[[-0-9]+\\])?|\\.size\\([-0-9]*\\)|\\.numel\\(\\)|\\.ndim|\\.dim\\(\\)|len\\([^)]*\\)) *(==|!=|<=|>=|<|>) *[0-9]+$")
 (#set! penalty 2))

((comparison_operator) @match
 (#contains? @match "==")
 (#match? @match "(shape(\\[[-0-9]+\\])?|\\.size\\([-0-9]*\\)|\\.numel\\(\\)) *== *([3-9]|[1-9][0-9]+)$")
 (#set! penalty 1))

((comparison_operator) @match
 (#match? @match "(?i)(layer(_?(id|idx|num|number|index|no))?|block_idx|(tp_|pp_|dp_|local_|global_)?rank(\\(\\))?|rank_in_group|step|iter|iteration|count|counter|calls|prefix|name|_n|debug[a-z_]*) *(==|<|<=|%|in) *([0-9(\"'[{]|f\")|% *[0-9]+ *== *[0-9]+$")
 (#set! penalty 2))
