((assert_statement) @match)

((assert_statement) @match
 (#match? @match "(?i)isnan|isinf|isfinite|allclose|torch\\.equal|debug|\\.any\\(|\\.all\\(|^assert (False|0)")
 (#set! penalty 1))

((call function: (_) @function) @match
 (#name? @function "torch.isnan" "torch.isinf" "torch.isfinite" "torch.allclose" "torch.equal" "torch.isclose"
   "torch.testing.*" "numpy.isnan" "numpy.isinf" "numpy.isfinite" "numpy.allclose" "numpy.array_equal"
   "numpy.testing.*" "*.isnan" "*.isinf" "*.isfinite" "*.allclose" "*.isclose" "math.isnan" "math.isinf"
   "*.isnan().any" "torch.autograd.set_detect_anomaly" "torch.autograd.detect_anomaly" "*.detect_anomaly"
   "*.set_detect_anomaly" "torch._assert" "torch._assert_async" "torch.count_nonzero" "torch.cosine_similarity")
 (#set! penalty 1))
