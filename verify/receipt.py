#!/usr/bin/env python3
"""Recomputes receipts of cuota from the files that they cite.

    receipt.py RECEIPTS FILES

RECEIPTS is a file with one answer of GET /api/explain on each line, or - for standard input. FILES is a directory
with the files that were ingested, under any names, or an archive of cuota. This program needs Python 3.9 and
nothing else; to read an archive it needs Python 3.14 or the program zstd. It shares no code with cuota.

Of each receipt it checks that every cited line is in a file with the stated hash, is about the series and the day,
and states the value; that the line that counts is the one that has to; that the quotes stand for the dates of the
window; and that the rule gives the number. It ends with 1 if anything is wrong, else with 3 if it could not check one.

It can't check that there is no other line. It prints a remark where a receipt depends on that: a quote that is missing, a
reason that other lines give, a line that is void because of another column, or a series that had other names.
"""

import calendar
import csv
import datetime
import hashlib
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import unicodedata
import zlib
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext

MONTHS = {"1m": 1, "3m": 3, "6m": 6, "1y": 12, "3y_ann": 36, "5y_ann": 60}
YEARS = {"3y_ann": 3, "5y_ann": 5}
TOLERANCE_DAYS = 7
TOLERANCE = Decimal("1e-12")
CURRENCIES = {"$$": "PESOS", "CLP": "PESOS", "PROM": "DOLAR", "USD": "DOLAR"}
SEPARATORS = {"cartola": ";", "uf": ",", "dolar": ",", "tac-comparator": ","}
UNREAD = ("fi-values", "tac-monthly")
COSTS = {"synthetic": "tac-comparator", "stated": "tac-monthly"}
RATES = {"fx": ("dolar", "PESOS per DOLAR"), "uf": ("uf", "PESOS per UF")}
# What follows from lines that a receipt does not cite.
OTHER_REASONS = ("unknown_currency", "currency_change", "known_discontinuity", "non_finite_return")


class Wrong(Exception):
    """What is wrong with a receipt."""


class Unread(Exception):
    """Why a receipt can't be checked."""


class Files:
    """The files of a directory, by their hash."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.known = {}
        self.paths = None

    def lines(self, sha256):
        """Returns the lines of a file, the header first."""
        if not re.fullmatch("[0-9a-f]{64}", sha256):
            raise Wrong(f"{sha256!r} is no hash")
        if sha256 not in self.known:
            data = self.read(sha256)
            if hashlib.sha256(data).hexdigest() != sha256:
                raise Wrong(f"the file {sha256} has another hash")
            self.known[sha256] = [decoded(line) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
        return self.known[sha256]

    def read(self, sha256):
        archived = self.folder / sha256[:2] / (sha256 + ".zst")
        if archived.is_file():
            return decompressed(archived)
        if self.paths is None:
            self.paths = {}
            for path in self.folder.rglob("*"):
                if path.is_file():
                    self.paths[hashlib.sha256(path.read_bytes()).hexdigest()] = path
        if sha256 not in self.paths:
            raise Wrong(f"no file has the hash {sha256}")
        return self.paths[sha256].read_bytes()


def decompressed(path):
    try:
        from compression import zstd
    except ImportError:
        program = shutil.which("zstd")
        if program is None:
            raise Unread("to read an archive, use Python 3.14 or install zstd")
        return subprocess.run([program, "-dc", str(path)], check=True, stdout=subprocess.PIPE).stdout
    return zstd.decompress(path.read_bytes())


def decoded(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def name_of_series(text):
    """Returns the spelling under which a series is known; RULES 12."""
    return unicodedata.normalize("NFC", " ".join(text.split())).upper() or "UNICA"


def number(text):
    """Returns a number of a file, which may have a decimal comma; None if it is none."""
    text = text.strip()
    if "," in text:
        text = text.replace(".", "").replace(",", ".")
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def rounded(value, decimals):
    """Rounds the noise of binary fractions away, as in 4047.3199999999997."""
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def of_seven_digits(value):
    """Rounds a figure of the comparator, which has seven digits and at most six decimals."""
    whole = int(abs(value))
    return rounded(value, min(6, 7 - len(str(whole))) if whole else 6)


def day(text):
    return None if text is None else datetime.date.fromisoformat(text)


def check_digit(number):
    """Returns the check digit of a RUN; RULES 12."""
    total = sum(int(digit) * (2 + place % 6) for place, digit in enumerate(reversed(number)))
    return "0K987654321"[total % 11]


def fields_of(files, line):
    """Returns the cited line by the names of its columns, as plain gives them."""
    separator = SEPARATORS.get(line["dataset"])
    if separator is None:
        raise (Unread if line["dataset"] in UNREAD else Wrong)(f"this program does not read files of {line['dataset']}")
    lines = files.lines(line["sha256"])
    if not 1 < line["line"] <= len(lines):
        raise Wrong(f"the file has no row in line {line['line']}")
    first = next(text for text in lines if text.strip())
    texts = [first.rstrip("\r"), lines[line["line"] - 1].rstrip("\r")]
    if separator == ",":
        header, values = csv.reader(texts)
    else:  # a quotation mark has no meaning in a cartola
        header, values = ([value.strip().strip('"') for value in text.split(separator)] for text in texts)
    return dict(zip(map(plain, header), (value.strip() for value in values)))


def plain(name):
    """Returns the letters and digits of the name of a column, without capitals and accents."""
    return "".join(letter for letter in unicodedata.normalize("NFD", name.casefold()) if letter.isalnum())


def check_line(files, subject, given, line):
    """Compares a cited line with its file. Returns its currency and a remark, mostly empty."""
    where = f"line {line['line']} of {line['sha256'][:12]}"
    if line["dataset"] not in ("cartola", "fi-values"):
        raise Wrong(f"{where} states no quote")
    row = fields_of(files, line)
    check_series(subject, line, where, row.get("runfm", ""), row.get("serie", ""))
    if row.get("fechainf") != given["date"].replace("-", ""):
        raise Wrong(f"{where} is about {row.get('fechainf')}, not {given['date']}")
    stated = number(row.get("valorcuota", ""))
    if line["value"] is not None and stated != Decimal(line["value"]):
        raise Wrong(f"{where} states {row.get('valorcuota')}, not {line['value']}")
    currency = row.get("moneda", "").strip()
    if not line["void"]:
        if line["value"] is None or not Decimal(line["value"]) > 0:
            raise Wrong(f"{where} has no quota above 0 and is not void")
        return CURRENCIES.get(currency, currency), ""
    if line["value"] is not None and Decimal(line["value"]) > 0:
        raise Wrong(f"{where} has a quota above 0 and is void")
    return None, f"{where} is void because of another column" if stated is not None and stated > 0 else ""


def check_series(subject, line, where, run, serie):
    """Checks that a line is about the series of the receipt."""
    if run.split("-")[0].replace(".", "").lstrip("0") != subject["run"].split("-")[0].lstrip("0"):
        raise Wrong(f"{where} is about fund {run}")
    serie = name_of_series(serie)
    if serie != line["serie"] or serie not in [name["serie"] for name in subject["names"]]:
        raise Wrong(f"{where} is about series {serie}")


def rank(subject, given, line):
    """Orders lines: the one that counts is the greatest; RULES 1."""
    for place, name in enumerate(subject["names"]):
        if name["serie"] == line["serie"]:
            since, until = name["valid_from"] or "0", name["valid_until"] or "9"
            valid = since <= given["date"] <= until
            return (valid, -place, moment(line["published_at"]), line["sha256"], line["line"], not line["void"])
    raise Wrong(f"the series never had the name {line['serie']}")


def moment(text):
    """Returns an instant in UTC in a form that can be compared."""
    found = re.fullmatch(r"([0-9-]{10}T[0-9:]{8})(?:\.([0-9]{1,9}))?Z", text)
    if not found:
        raise Wrong(f"{text!r} is no instant in UTC")
    return found[1], (found[2] or "").ljust(9, "0")


def check_input(files, subject, given):
    """Checks an input: its lines, the one that counts, and its value. Returns its currency and remarks."""
    if given["date"] is None or not given["lines"]:
        if given["lines"] or given["value"] is not None:
            raise Wrong(f"{given['name']}: a value without a line")
        return None, [f"that no line states the {given['name']} follows from all files"]
    currency, remarks = None, []
    for line in given["lines"]:
        of_line, remark = check_line(files, subject, given, line)
        remarks += [remark] if remark else []
        currency = of_line if line["counts"] else currency
    value = check_counting(given, lambda line: rank(subject, given, line))
    if value is not None and given["unit"] != f"{currency} per quota":
        raise Wrong(f"{given['name']}: the unit is {currency} per quota, not {given['unit']}")
    return currency, remarks


def check_counting(given, order):
    """Checks that one line counts, which is the greatest of an order, and that the input has its value."""
    counting = [line for line in given["lines"] if line["counts"]]
    if len(counting) != 1:
        raise Wrong(f"{given['name']}: {len(counting)} lines count")
    if counting[0] is not max(given["lines"], key=order):
        raise Wrong(f"{given['name']}: another line has to count")
    value = None if counting[0]["void"] else counting[0]["value"]
    if given["value"] != value:
        raise Wrong(f"{given['name']}: its value is {given['value']}, the line that counts has {value}")
    return value


def check_rate(files, given, rate, quote):
    """Checks the UF or the dólar at the day of a quote: its lines and the one that counts."""
    dataset, unit = RATES[rate]
    if given["target"] != quote["date"] or given["unit"] != unit:
        raise Wrong(f"{given['name']} is not in {unit} at {quote['date']}")
    if given["date"] is None or not given["lines"]:
        if given["lines"] or given["value"] is not None or given["date"] is not None:
            raise Wrong(f"{given['name']}: a value without a line")
        return
    for line in given["lines"]:
        where = f"line {line['line']} of {line['sha256'][:12]}"
        if line["dataset"] != dataset or line["serie"] is not None or line["void"]:
            raise Wrong(f"{where} is no line of {dataset}")
        row = fields_of(files, line)
        stated = number(row.get("valor", ""))
        if row.get("fecha") != given["date"] or stated is None or rounded(stated, 4) != Decimal(line["value"]):
            raise Wrong(f"{where} states {row.get('valor')} of {row.get('fecha')}, not {line['value']} of {given['date']}")
    check_counting(given, lambda line: (moment(line["published_at"]), line["sha256"], line["line"]))


def rate_reason(rate, given, quote):
    """Returns why a rate can't convert a quote; None if it can. Missing comes before invalid, and that before stale."""
    if given["value"] is None:
        return 0, f"missing_{given['name']}"
    if not Decimal(given["value"]) > 0:
        return 1, f"invalid_{given['name']}"
    age = (day(quote["date"]) - day(given["date"])).days
    if age < 0 or rate == "uf" and age != 0:
        raise Wrong(f"{given['name']} is of another day")
    return (2, f"stale_{given['name']}") if age > TOLERANCE_DAYS else None


def check_rates(files, receipt, currency):
    """Checks the rates of a return in pesos or in UF. Returns how the quotient changes, and the reason that they give."""
    end, start = receipt["inputs"][:2]
    rates = ["fx"] if currency == "DOLAR" else []
    rates += ["uf"] if receipt["subject"]["valuation"] == "real_uf" else []
    names = [side + rate for rate in rates for side in ("end_", "start_")]
    given = {of["name"]: of for of in receipt["inputs"][2:]}
    if list(given) != names or len(receipt["inputs"]) != 2 + len(names):
        raise Wrong(f"the rates have to be {names}")
    change, reason = Decimal(1), None
    for rate in rates:
        at_end, at_start = given["end_" + rate], given["start_" + rate]
        check_rate(files, at_end, rate, end)
        check_rate(files, at_start, rate, start)
        found = [of for of in (rate_reason(rate, at_end, end), rate_reason(rate, at_start, start)) if of]
        if found:
            reason = reason or min(found, key=lambda of: of[0])[1]
            continue
        quotient = Decimal(at_end["value"]) / Decimal(at_start["value"])
        change = change * quotient if rate == "fx" else change / quotient
    return change, reason


def months_before(date, months):
    """Returns the same day some months earlier, or the last day of that month."""
    year, month = divmod(date.year * 12 + date.month - 1 - months, 12)
    return date.replace(year=year, month=month + 1, day=min(date.day, calendar.monthrange(year, month + 1)[1]))


def targets(window, date):
    """Returns the dates at which a window ends and starts; RULES 1."""
    if window in MONTHS:
        return date, months_before(date, MONTHS[window])
    if window == "ytd":
        return date, datetime.date(date.year - 1, 12, 31)
    if window != "last_closed_month":
        raise Wrong(f"there is no window {window}")
    end = date
    if (date + datetime.timedelta(1)).month == date.month:
        end = date.replace(day=1) - datetime.timedelta(1)
    return end, end.replace(day=1) - datetime.timedelta(1)


def quote_reason(given, target):
    """Returns why a quote does not stand for a date; None if it does."""
    if not given["lines"]:
        return f"missing_{given['name']}_quote"
    if given["value"] is None:
        return f"invalid_{given['name']}_quote"
    age = (target - day(given["date"])).days
    if age < 0:
        raise Wrong(f"the quote at the {given['name']} is later than {target}")
    return f"stale_{given['name']}_quote" if age > TOLERANCE_DAYS else None


def check_return(files, receipt, currencies):
    """Checks the inputs of a return against its window, and returns what the rule gives and the reason."""
    subject = receipt["subject"]
    end, start = receipt["inputs"][:2]
    if subject["valuation"] not in ("accounting", "clp", "real_uf"):
        raise Wrong(f"there is no valuation {subject['valuation']}")
    if (end["name"], start["name"]) != ("end", "start"):
        raise Wrong("the inputs are not the quotes at the end and the start")
    reason = None
    for given, target in zip((end, start), targets(subject["window"], day(subject["date"]))):
        if given["target"] is not None and day(given["target"]) != target:
            raise Wrong(f"the {given['name']} of the window is {target}, not {given['target']}")
        reason = reason or quote_reason(given, target)
    change, no_rate = Decimal(1), None
    known = not set(currencies) - {"PESOS", "DOLAR"} and end["value"] is not None and start["value"] is not None
    if subject["valuation"] != "accounting" and known and len(set(currencies)) == 1:
        change, no_rate = check_rates(files, receipt, currencies[0])
    elif len(receipt["inputs"]) != 2:
        raise Wrong("there are inputs that the return does not need")
    if reason is not None:
        return None, reason
    if set(currencies) - {"PESOS", "DOLAR"}:
        return None, "unknown_currency"
    if len(set(currencies)) > 1:
        return None, "currency_change"
    if no_rate is not None:
        return None, no_rate
    value = Decimal(end["value"]) / Decimal(start["value"]) * change
    if subject["window"] in YEARS:
        value = value ** (Decimal(1) / YEARS[subject["window"]])
    return value - 1, None


def check_cost(files, subject, inputs):
    """Checks the lines of a cost rate. Returns what the rule gives and the reason; RULES 2."""
    if not inputs:
        return None, "no_cost_rate"
    (given,) = inputs
    dataset = COSTS.get(subject["kind"])
    if dataset is None or given["name"] != "rate" or given["unit"] != "percent per year" or given["target"] is not None:
        raise Wrong(f"the input is no rate of the kind {subject['kind']}")
    for line in given["lines"]:
        where = f"line {line['line']} of {line['sha256'][:12]}"
        if line["dataset"] != dataset:
            raise Wrong(f"{where} states no {subject['kind']} rate")
        row = fields_of(files, line)
        check_series(subject, line, where, row.get("forun", ""), row.get("fmserie", ""))
        stated, month = number(row.get("tacsintetica", "")), datetime.datetime.strptime(row["fmfechanum"], "%Y%m%d").date()
        if month.replace(day=calendar.monthrange(month.year, month.month)[1]) != day(given["date"]):
            raise Wrong(f"{where} is about {month}, not {given['date']}")
        if line["void"] or line["value"] is None or stated is None or of_seven_digits(stated) != Decimal(line["value"]):
            raise Wrong(f"{where} states {row.get('tacsintetica')}, not {line['value']}")
    if subject["valuation"] is not None or given["date"] > subject["date"]:
        raise Wrong(f"the cost rate is of {given['date']}, which is after {subject['date']}")
    return Decimal(check_counting(given, lambda line: rank(subject, given, line))) / 100, None


def evaluated(formula, inputs):
    """Computes the formula of a receipt."""
    parts = [evaluated(part, inputs) for part in formula.get("of", [])]
    if formula["op"] == "input" and 0 <= formula["input"] < len(inputs):
        return Decimal(inputs[formula["input"]]["value"])
    if formula["op"] == "number":
        return Decimal(formula["number"])
    if formula["op"] == "sum":
        return sum(parts, Decimal(0))
    if formula["op"] == "product":
        return math.prod(parts, start=Decimal(1))
    if formula["op"] == "quotient" and len(parts) == 2:
        return parts[0] / parts[1]
    if formula["op"] == "power" and len(parts) == 2:
        return parts[0] ** parts[1]
    raise Wrong(f"no formula: {formula['op']}")


def check_subject(subject):
    """Checks that the series is the one of the names. Returns remarks."""
    fund, digit = subject["run"].split("-")
    if digit != check_digit(fund):
        raise Wrong(f"the check digit of {fund} is {check_digit(fund)}, not {digit}")
    if subject["series"].isdecimal():
        keys = [f"series:{subject['run']}:{name['serie']}{more}" for name in subject["names"] for more in ("", "#1", "#2")]
        if int(subject["series"]) not in [zlib.crc32(key.encode()) for key in keys]:
            raise Wrong(f"{subject['series']} is the id of another series")
    if len(subject["names"]) > 1:
        return ["that the series has had other names follows from another file"]
    return []


def check(files, receipt):
    """Checks one receipt. Returns remarks."""
    subject, field = receipt["subject"], receipt["subject"]["field"]
    remarks, currencies = check_subject(subject), []
    for given in receipt["inputs"][:0 if field == "tac" else 2]:
        currency, more = check_input(files, subject, given)
        currencies.append(currency)
        remarks += more
    if field == "return":
        expected, reason = check_return(files, receipt, currencies)
        if len(receipt["inputs"]) > 2:
            remarks.append("whether a file is one of the UF or of the dólar does not stand in it")
    elif field == "price":
        (given,) = receipt["inputs"]
        if subject["valuation"] is not None or given["name"] != "quote" or given["date"] != subject["date"]:
            raise Wrong("the input is not the quote of the day")
        expected = None if given["value"] is None else Decimal(given["value"])
        reason = None if expected is not None else "invalid_quote" if given["lines"] else "missing_quote"
    elif field == "tac":
        expected, reason = check_cost(files, subject, receipt["inputs"])
        remarks.append("that no other month or kind counts follows from all files")
    else:
        raise Wrong(f"there is no rule for {field}")
    if (subject["window"] is None) != (field != "return") or (subject["kind"] is None) != (field != "tac" or expected is None):
        raise Wrong(f"{field} with the window {subject['window']} and the kind {subject['kind']}")
    if receipt["value"] is None:
        given = receipt["reason"]
        if given == "no_complete_cutoff" and field != "tac" and all(of["date"] is None and not of["lines"] for of in receipt["inputs"]):
            return remarks
        # What breaks a series comes before what a rate lacks.
        broken = (reason or "")[-3:] in ("_fx", "_uf") and given in ("currency_change", "known_discontinuity")
        if reason is not None and given != reason and not broken:
            raise Wrong(f"the reason is {reason}, not {given}")
        if reason is None and (given not in OTHER_REASONS or field != "return"):
            raise Wrong(f"the quotes give a value, and {given!r} is no reason")
        if reason is None or reason.startswith(("missing", "stale")):
            remarks.append(f"the reason {given} follows from other lines")
        return remarks
    if receipt["reason"] is not None or receipt["formula"] is None:
        raise Wrong("a value with a reason, or without a formula")
    if expected is None:
        raise Wrong(f"there is no value: {reason}")
    value = Decimal(receipt["value"])
    for what, found in (("the rule", expected), ("the formula", evaluated(receipt["formula"], receipt["inputs"]))):
        if not value.is_finite() or abs(found - value) > TOLERANCE * max(1, abs(found)):
            raise Wrong(f"{what} gives {found}, the receipt has {value}")
    return remarks


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    source = sys.stdin if arguments[0] == "-" else open(arguments[0], encoding="utf-8")
    files, checked, wrong, unread = Files(arguments[1]), 0, 0, 0
    with source, localcontext() as context:
        context.prec = 40
        for place, text in enumerate(source, 1):
            if not text.strip():
                continue
            checked += 1
            try:
                answer = json.loads(text)
                for remark in check(files, answer["data"]["attributes"]):
                    print(f"{place}: {remark}")
            except Wrong as why:
                wrong += 1
                print(f"{place}: wrong: {why}")
            except Unread as why:
                unread += 1
                print(f"{place}: not checked: {why}")
            except (KeyError, TypeError, csv.Error, ValueError, ArithmeticError, AttributeError, IndexError,
                    RecursionError, subprocess.CalledProcessError) as why:
                wrong += 1
                print(f"{place}: wrong: this is no receipt: {why!r}")
    print(f"{checked} receipts, {wrong} of them wrong" + (f", {unread} not checked" if unread else ""))
    return 1 if wrong or not checked else 3 if unread else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
