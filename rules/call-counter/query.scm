; self._n += 1, Class.count += 1, counts["x"] += 1
((augmented_assignment left: (_) @target right: (_) @value) @match
 (#any-of? @value "1" "1.0")
 (#match? @target "[].]")
 (#set! penalty 1))

((augmented_assignment left: (_) @target right: (_) @value) @match
 (#match? @value "^[0-9]+$")
 (#match? @target "(?i)(^|[.[\"'])_|debug|dbg|dump|count|calls?([^a-z]|$)|steps?([^a-z]|$)|iters?([^a-z]|$)|_n$|^[A-Z_]+$"))

; self.x = self.x + 1, self.x = getattr(self, "x", 0) + 1
((assignment left: (_) @target right: (binary_operator left: (_) @old operator: "+" right: (_) @value)) @match
 (#eq? @target @old)
 (#match? @value "^[0-9]+$"))

((assignment left: (_) @target right: (binary_operator left: (_) @old operator: "+" right: (_) @value)) @match
 (#match? @old "(getattr|\\.get) *\\(")
 (#match? @value "^[0-9]+$"))

; Where it starts: _calls = 0
((assignment left: (_) @target right: (_) @value) @match
 (#any-of? @value "0" "-1" "itertools.count()" "count()" "[0]" "{}" "collections.Counter()" "Counter()" "defaultdict(int)")
 (#match? @target "(?i)(^|\\.)_*[a-z_]*(debug|dbg|dump|count|counter|calls?|steps?|iters?|hits|fired|_n|idx)[a-z_]*$")
 (#set! penalty 1))

((call function: (_) @function) @match
 (#name? @function "itertools.count" "next")
 (#match? @match "(?i)count|^next\\(_|calls")
 (#set! penalty 1))

((call function: (_) @function) @match
 (#name? @function "setattr")
 (#match? @match "getattr.*\\+ *[0-9]+"))
