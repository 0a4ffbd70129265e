((aliased_import alias: (identifier) @alias) @match
 (#match? @alias "^_")
 (#set! strong true)
 (#set! penalty 0))

((import_statement) @match
 (#has-ancestor? @match function_definition)
 (#set! penalty 1))

((import_from_statement) @match
 (#has-ancestor? @match function_definition)
 (#set! penalty 2))

((import_statement) @match
 (#match? @match "^import (traceback|inspect|pprint|pickle|dill|cloudpickle|joblib|shelve|sys|os|time|datetime|json|random|copy|gc|atexit|signal|socket|threading|tempfile|pathlib|uuid|hashlib|itertools|logging|rich|numpy|torch|safetensors|h5py|matplotlib|warnings|subprocess|builtins|ctypes|dis|types|functools|importlib|ast|csv|glob|shutil|platform|weakref|collections|math|getpass|requests)([ .,]|$)")
 (#set! penalty 2))

((import_from_statement module_name: (_) @module) @match
 (#match? @module "^(traceback|inspect|pprint|pickle|time|datetime|pathlib|tempfile|rich|safetensors|torch\\.utils|torch\\.profiler|os|sys|json|collections|loguru)(\\.|$)")
 (#set! penalty 2))

; What looks for the rank a file name is made of.
((import_from_statement) @match
 (#match? @match "get_(tensor_model_parallel|tp|world|pp|dp|attention_tp)[a-z_]*rank|get_rank|get_tp_group")
 (#set! penalty 2))

((call function: (_) @function) @match
 (#name? @function "__import__" "importlib.import_module" "builtins.__import__" "importlib.reload"))
