#!/usr/bin/env python3
"""Checks proofs of cuota prove: that a batch, or a file of it, is in the log of published batches.

    proof.py PROOF [--checkpoint FILE] [--key KEY]

PROOF is a file of cuota prove, or - for standard input. With --checkpoint, the proof must fit the checkpoint in FILE,
which somebody has kept; with --key, it must be of the log with this key, as /log/key has it. This program needs Python
3.9 and nothing else. It shares no code with cuota. It ends with 1 if anything is wrong.

The log is a Merkle tree (RFC 6962). Checkpoints are signed notes (c2sp.org/signed-note, c2sp.org/tlog-checkpoint) with
Ed25519 signatures (RFC 8032).
"""

import argparse
import base64
import binascii
import hashlib
import json
import re
import sys

FORMAT, MOST = "cuota-proof-1", 1 << 20


class Wrong(Exception):
    """What is wrong with a proof."""


# Ed25519, RFC 8032. Points are (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def encoded(point):
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decoded(data):
    """Returns the point of 32 bytes; None if they are none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or x == 0 and sign:
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed(public, message, signature):
    """Reports whether a signature is that of a message."""
    key, s = decoded(public), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or s >= ORDER:
        return False
    hashed = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    minus_key = (P - key[0], key[1], 1, P - key[3])
    return encoded(add(times(s, BASE), times(hashed, minus_key))) == signature[:32]


# Merkle trees, RFC 6962.


def hash_of_leaf(data):
    return hashlib.sha256(b"\x00" + data).digest()


def hash_of_node(left, right):
    return hashlib.sha256(b"\x01" + left + right).digest()


def split(size):
    """Returns the largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def root_by_path(leaf, index, size, path):
    """Returns the root that a leaf and its path give."""
    if size == 1:
        if path:
            raise Wrong("the path is too long")
        return leaf
    if not path:
        raise Wrong("the path is too short")
    left = split(size)
    if index < left:
        return hash_of_node(root_by_path(leaf, index, left, path[:-1]), path[-1])
    return hash_of_node(path[-1], root_by_path(leaf, index - left, size - left, path[:-1]))


def roots_by_path(old, size, path, old_root, whole):
    """Returns the roots of the first leaves and of all leaves that a consistency proof gives. whole says that the first
    leaves of this subtree are the whole older tree, whose root is known."""
    if old == size:
        if whole:
            if path:
                raise Wrong("the path from the older checkpoint is too long")
            return old_root, old_root
        if len(path) != 1:
            raise Wrong("the path from the older checkpoint has the wrong length")
        return path[0], path[0]
    if not path:
        raise Wrong("the path from the older checkpoint is too short")
    left = split(size)
    if old <= left:
        before, now = roots_by_path(old, left, path[:-1], old_root, whole)
        return before, hash_of_node(now, path[-1])
    before, now = roots_by_path(old - left, size - left, path[:-1], old_root, False)
    return hash_of_node(path[-1], before), hash_of_node(path[-1], now)


# Keys, checkpoints and proofs.


def base64_of(text, what):
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Wrong(f"{what} is no base64")
    if base64.b64encode(data).decode() != text:
        raise Wrong(f"{what} is not in the one form of base64")
    return data


def hash_in(text, what):
    if not isinstance(text, str) or not re.fullmatch("[0-9a-f]{64}", text):
        raise Wrong(f"{what} is no hash of 64 hex digits in lower case")
    return bytes.fromhex(text)


class Key:
    """The key of a log: NAME+HASH+KEY."""

    def __init__(self, text):
        parts = text.split("+", 2)
        if len(parts) != 3 or not parts[0] or re.search(r"\s", text):
            raise Wrong(f"{text[:200]!r} is no key of a log")
        self.text, self.name, data = text, parts[0], base64_of(parts[2], "the key")
        self.hash = hashlib.sha256(self.name.encode() + b"\n" + data).digest()[:4]
        if len(data) != 33 or data[0] != 1 or parts[1] != self.hash.hex():
            raise Wrong(f"{text[:200]!r} is no Ed25519 key of a log")
        self.public = data[1:]
        point = decoded(self.public)
        if point is None or encoded(times(8, point)) == encoded(times(0, point)):
            raise Wrong(f"{text[:200]!r} is no key of a log: signatures of such a key fit many texts")


class Checkpoint:
    """A signed statement of how many leaves a log has, and of their root."""

    def __init__(self, text, key, what):
        if len(text.encode()) > 64 << 10 or "\n\n" not in text or re.search(r"[\x00-\x09\x0b-\x1f]", text):
            raise Wrong(f"{what} is no signed note")
        body, _, signatures = text.rpartition("\n\n")
        body += "\n"
        if not signatures.endswith("\n"):
            raise Wrong(f"{what} is no signed note")
        found = False
        for line in signatures[:-1].split("\n"):
            parts = line.split(" ")
            if len(parts) != 3 or parts[0] != "\u2014":
                raise Wrong(f"{what} has a line that is no signature")
            data = base64_of(parts[2], f"a signature of {what}")
            if parts[1] == key.name and data[:4] == key.hash:
                if not signed(key.public, body.encode(), data[4:]):
                    raise Wrong(f"the signature of {what} is wrong: its text was changed, or another key signed it")
                found = True
        if not found:
            raise Wrong(f"{what} is not signed with the key {key.name}+{key.hash.hex()}")
        lines = body[:-1].split("\n")
        if len(lines) != 3 or lines[0] != key.name or not re.fullmatch("0|[1-9][0-9]{0,17}", lines[1], re.ASCII):
            raise Wrong(f"{what} is not the name of its key, a size and a root")
        self.origin, self.size, self.root = lines[0], int(lines[1]), base64_of(lines[2], f"the root of {what}")


def shape(value, fields, what):
    """Checks that a JSON object has these fields, in this order, with values of these types."""
    if not isinstance(value, dict) or list(value) != list(fields):
        raise Wrong(f"{what} does not have the fields {', '.join(fields)}")
    for name, kind in fields.items():
        if type(value[name]) is not kind:
            raise Wrong(f"{name} of {what} has another type than it must have")


def check_in(leaf, index, path, size, root, what):
    """Checks that a tree has a leaf."""
    path = [hash_in(each, f"a hash of the path of {what}") for each in path]
    if not 0 <= index < size:
        raise Wrong(f"{what} has the index {index}, and the tree has {size} leaves")
    if root_by_path(hash_of_leaf(leaf), index, size, path) != root:
        raise Wrong(f"{what} is not in the tree: leaf, index and path give another root")


def leaf_of(text):
    """Reads a leaf, which must be in its one form."""
    leaf = json.loads(text)
    shape(leaf, {"as_of": str, "batch_id": str, "files": dict, "number": int, "rules": str, "tables": dict}, "the leaf")
    shape(leaf["files"], {"count": int, "root": str}, "files of the leaf")
    if json.dumps(leaf, ensure_ascii=False, sort_keys=True, separators=(",", ":")) != text:
        raise Wrong("the leaf is not written in its one form")
    return leaf


def check(data, kept, key):
    """Checks a proof, and returns lines that say what it shows."""
    if len(data) > MOST:
        raise Wrong(f"a proof has at most {MOST} bytes")
    try:
        text = data.decode("utf-8")
        proof = json.loads(text)
    except ValueError as error:  # also of bytes that are no UTF-8
        raise Wrong(f"this is no proof: {error}")
    fields = {"format": str, "leaf": str, "index": int, "path": list, "file": dict, "since": dict, "checkpoint": str,
              "key": str}
    there = proof if isinstance(proof, dict) else {}
    shape(proof, {name: kind for name, kind in fields.items() if name in there or name not in ("file", "since")},
          "the proof")
    if proof["format"] != FORMAT:
        raise Wrong(f"the proof has the format {proof['format'][:80]!r}, and this program reads {FORMAT}")
    if json.dumps(proof, ensure_ascii=False, indent=2) + "\n" != text:
        raise Wrong("the proof is not written as cuota prove writes it: its bytes were changed")
    if key is not None and key != proof["key"]:
        raise Wrong("the proof is of a log with another key")
    by = Key(proof["key"])
    head = Checkpoint(proof["checkpoint"], by, "the checkpoint")
    try:
        leaf = leaf_of(proof["leaf"])
    except ValueError as error:
        raise Wrong(f"the leaf is no JSON: {error}")
    check_in(proof["leaf"].encode(), proof["index"], proof["path"], head.size, head.root, "the leaf")
    said = [f"batch {leaf['batch_id']} is leaf {proof['index']} of the log {head.origin}, which has {head.size} leaves"]
    if "file" in proof:
        file = proof["file"]
        shape(file, {"dataset": str, "sha256": str, "index": int, "path": list}, "the file")
        hash_in(file["sha256"], "the file")
        check_in(f"{file['dataset']} {file['sha256']}".encode(), file["index"], file["path"], leaf["files"]["count"],
                 hash_in(leaf["files"]["root"], "the root of the files"), "the file")
        said.append(f"file {file['sha256']} of {file['dataset']} is one of its files")
    older = since_of(proof["since"], head, by) if "since" in proof else None
    if kept is not None:
        check_kept(Checkpoint(kept, by, "the checkpoint that was kept"), head, older)
    said.append(f"signed with the key {by.text}")
    if key is None and kept is None:
        said.append("Only the proof itself says that this is the right key: give --checkpoint or --key.")
    return said


def since_of(since, head, key):
    """Checks that the log only grew since the older checkpoint of a proof, and returns that one."""
    shape(since, {"checkpoint": str, "path": list}, "since")
    older = Checkpoint(since["checkpoint"], key, "the older checkpoint")
    path = [hash_in(each, "a hash of the path from the older checkpoint") for each in since["path"]]
    if older.size > head.size:
        raise Wrong("the older checkpoint has more leaves than the checkpoint of the proof")
    if older.size == 0:
        if path or older.root != hashlib.sha256(b"").digest():
            raise Wrong("the older checkpoint has no leaves, and a root or a path")
    elif roots_by_path(older.size, head.size, path, older.root, True) != (older.root, head.root):
        raise Wrong("the log of the proof does not have the leaves of the older checkpoint, or the path was changed")
    return older


def check_kept(kept, head, older):
    """Compares a proof with a checkpoint that somebody has kept."""
    if kept.size > head.size:
        raise Wrong(f"the checkpoint that was kept has {kept.size} leaves and that of the proof {head.size}: ask for a new proof")
    same = head if kept.size == head.size else older
    if same is None or same.size != kept.size:
        raise Wrong(f"the checkpoint that was kept has {kept.size} leaves and that of the proof {head.size}: ask for a proof "
                    "that connects them, with cuota prove --since")
    if same.root != kept.root:
        raise Wrong(f"two checkpoints of {kept.size} leaves have different roots: the log was forked")


def main():
    parser = argparse.ArgumentParser(description="Checks proofs of cuota prove.")
    parser.add_argument("proof", help="file of cuota prove, or -")
    parser.add_argument("--checkpoint", help="file with a checkpoint that was kept")
    parser.add_argument("--key", help="key of the log, as /log/key has it")
    asked = parser.parse_args()
    try:
        if asked.proof == "-":
            data = sys.stdin.buffer.read(MOST + 1)
        else:
            with open(asked.proof, "rb") as file:
                data = file.read(MOST + 1)
        kept = None
        if asked.checkpoint is not None:
            with open(asked.checkpoint, encoding="utf-8", newline="") as file:
                kept = file.read((64 << 10) + 1)
        print("\n".join(check(data, kept, asked.key)))
    except (Wrong, OSError, ValueError, RecursionError) as error:
        print(f"the proof is wrong: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
