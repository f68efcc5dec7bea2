"""Checks each line of standard input with the program that is named first, and prints what is wrong as JSON."""

import base64
import importlib.util
import json
import sys

sys.dont_write_bytecode = True  # the tree of the source stays clean
spec = importlib.util.spec_from_file_location("proof", sys.argv[1])
proof = importlib.util.module_from_spec(spec)
spec.loader.exec_module(proof)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        kept = base64.b64decode(asked["kept"]).decode("utf-8") if asked["kept"] is not None else None
        proof.check(base64.b64decode(asked["proof"]), kept, asked["key"] or None)
        print(json.dumps(""))
    except (proof.Wrong, ValueError, RecursionError) as error:
        print(json.dumps(str(error) or "wrong"))
