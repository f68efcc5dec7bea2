#!/usr/bin/env python3
"""Recomputes receipts of cuota from the files that they cite.

    receipt.py RECEIPTS FILES

RECEIPTS is a file with one answer of GET /api/explain on each line, or - for standard input. FILES is a directory
with the files that were ingested, under any names, or an archive of cuota. This program needs Python 3.9 and
nothing else; to read an archive it needs Python 3.14 or the program zstd. It shares no code with cuota.

Of each receipt it checks that every cited line is in a file with the stated hash, is about the series and the day,
and states the value; that the line that counts is the one that has to; that the quotes stand for the dates of the
window; and that the rule gives the number. It ends with 1 if anything is wrong, else with 3 if it could not check one.
It can't check that there is no other line. It prints a remark where a receipt depends on that, as on a missing quote.
"""

import calendar
import csv
import datetime
import functools
import hashlib
import json
import math
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import unicodedata
import zlib
from decimal import ROUND_HALF_UP, Decimal, localcontext

MONTHS, YEARS = {"1m": 1, "3m": 3, "6m": 6, "1y": 12, "3y_ann": 36, "5y_ann": 60}, {"3y_ann": 3, "5y_ann": 5}
TOLERANCE_DAYS, TOLERANCE, NEAR, day = 7, Decimal("1e-12"), Decimal("1e-9"), datetime.date.fromisoformat
CURRENCIES = {"$$": "PESOS", "CLP": "PESOS", "PROM": "DOLAR", "USD": "DOLAR"}
SEPARATORS = {"cartola": ";", "uf": ",", "dolar": ",", "tac-comparator": ",", "events": ",", "fi-values": None, "tac-monthly": None}
# What follows from lines that a receipt does not cite: of any return, and of one whose exchange is not followed.
OTHER_REASONS = ("unknown_currency", "currency_change", "known_discontinuity", "non_finite_return")
STOPS = ["ambiguous_continuation", "continuation_cycle", "continuation_limit", "invalid_continuation"]


class Wrong(Exception):
    """What is wrong with a receipt."""


class Unread(Exception):
    """Why a receipt can't be checked."""


def refuse(wrong, why):
    if wrong:
        raise Wrong(why)


class Files:
    """The files of a directory, by their hash."""

    def __init__(self, folder):
        self.folder, self.paths = pathlib.Path(folder), None

    @functools.cache
    def lines(self, sha256):
        """Returns the lines of a file, the header first."""
        refuse(not re.fullmatch("[0-9a-f]{64}", sha256), f"{sha256!r} is no hash")
        archived = self.folder / sha256[:2] / (sha256 + ".zst")
        if self.paths is None and not archived.is_file():
            found = [path for path in self.folder.rglob("*") if path.is_file()]
            self.paths = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in found}
        refuse(not archived.is_file() and sha256 not in self.paths, f"no file has the hash {sha256}")
        data = decompressed(archived) if archived.is_file() else self.paths[sha256].read_bytes()
        refuse(hashlib.sha256(data).hexdigest() != sha256, f"the file {sha256} has another hash")
        return [decoded(line) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def decompressed(path):
    try:
        from compression import zstd
        return zstd.decompress(path.read_bytes())
    except ImportError:
        if shutil.which("zstd") is None:
            raise Unread("to read an archive, use Python 3.14 or install zstd")
        return subprocess.run(["zstd", "-dc", str(path)], check=True, stdout=subprocess.PIPE).stdout


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
    plain = (text.replace(".", "").replace(",", ".") if "," in text else text).strip()
    return Decimal(plain) if re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?", plain) else None


def rounded(value, decimals=4):
    """Rounds the noise of binary fractions away, as in 4047.3199999999997."""
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def fields_of(files, line):
    """Returns the cited line by the names of its columns, of which only letters without accents and digits are kept."""
    if SEPARATORS.get(line["dataset"]) is None:
        raise (Unread if line["dataset"] in SEPARATORS else Wrong)(f"this program does not read files of {line['dataset']}")
    lines = files.lines(line["sha256"])
    refuse(not 1 < line["line"] <= len(lines), f"the file has no row in line {line['line']}")
    texts = [next(text for text in lines if text.strip()).rstrip("\r"), lines[line["line"] - 1].rstrip("\r")]
    of_cartola = ([value.strip().strip('"') for value in text.split(";")] for text in texts)  # quotation marks mean nothing
    header, values = csv.reader(texts) if SEPARATORS[line["dataset"]] == "," else of_cartola
    names = ("".join(filter(str.isalnum, unicodedata.normalize("NFD", name.casefold()))) for name in header)
    return dict(zip(names, (value.strip() for value in values)))


def check_series(subject, line, where, run, serie):
    """Checks that a line is about the series of the receipt."""
    if run.split("-")[0].replace(".", "").lstrip("0") != subject["run"].split("-")[0].lstrip("0"):
        raise Wrong(f"{where} is about fund {run}")
    serie = name_of_series(serie)
    refuse(serie not in {of["serie"] for of in subject["names"]} & {line["serie"]}, f"{where} is about series {serie}")


def rank(subject, given, line):
    """Orders lines by the name of the series: the greatest counts, and of these the newest; RULES 1."""
    place, name = next(pair for pair in enumerate(subject["names"]) if pair[1]["serie"] == line["serie"])
    return (name["valid_from"] or "0") <= given["date"] <= (name["valid_until"] or "9"), -place


def moment(text):
    """Returns an instant in UTC in a form that can be compared."""
    found = re.fullmatch(r"([0-9-]{10}T[0-9:]{8})(?:\.([0-9]{1,9}))?Z", text)
    refuse(not found, f"{text!r} is no instant in UTC")
    return found[1], (found[2] or "").ljust(9, "0")


OF_COSTS = ("cartola",), "currency of the series", "runfm", "serie", "fechainf"
# Of each kind of input: the datasets, the unit, the columns of fund, series, day and value, and the value of these.
KINDS = {
    "quote": (("cartola", "fi-values"), None, "runfm", "serie", "fechainf", ["valorcuota"], lambda quota: quota),
    "fx": (("dolar",), "PESOS per DOLAR", None, None, "fecha", ["valor"], rounded),
    "uf": (("uf",), "PESOS per UF", None, None, "fecha", ["valor"], rounded),
    "synthetic": (("tac-comparator",), "percent per year", "forun", "fmserie", "fmfechanum", ["tacsintetica"],  # of seven digits
                  lambda value: rounded(value, min(6, 7 - len(str(int(abs(value))))) if abs(value) >= 1 else 6)),
    "stated": (("tac-monthly",), "percent per year", None, None, "", [], None),
    "factor": (("events",), "quotas per quota", "run", "serie", "date", ["distributionfactor", "adjustmentfactor"], Decimal.__mul__),
    "costs": (*OF_COSTS, ["remfija", "remvariable", "gastosafectos", "gastosnoafectos"], lambda *parts: sum(parts)),
    "bearing_equity": (*OF_COSTS, ["cuotasencirculacion", "cuotasrescatadas", "cuotasaportadas", "valorcuota"],
                       lambda held, redeemed, contributed, quota: (held + redeemed - contributed) * quota),
    "equity_before": (*OF_COSTS, ["patrimonioneto"], lambda equity: equity),
    "stated_factor": (("cartola",), "quotas per quota", *OF_COSTS[2:], ["factordeajuste", "factordereparto"],
                      lambda *of: math.prod(one or 1 for one in of)),
    "exchange": (("events",), "quotas per quota", "originrun", "originserie", "effectivedate", ["factor"], lambda factor: factor),
}


def check_input(files, holder, given, kind):
    """Checks an input: its lines, the one that counts, and its value. Returns the row that counts, and remarks."""
    kind = "quote" if kind == "month_end" else kind
    datasets, unit, of_run, of_serie, of_day, of_value, form = KINDS[kind]
    if given["date"] is None or not given["lines"]:
        if given["lines"] or given["value"] is not None or kind in ("fx", "uf") and given["date"] is not None:
            raise Wrong(f"{given['name']}: a value without a line")
        return None, [f"that no line states the {given['name']} follows from all files"]
    rows, remarks = [], []
    for line in given["lines"]:
        where = f"line {line['line']} of {line['sha256'][:12]}"
        refuse(line["dataset"] not in datasets, f"{where} is not of {' or '.join(datasets)}")
        row = fields_of(files, line)
        revised = kind == "exchange" and not line["counts"]  # another revision may have another origin and another day
        if line["serie"] != (name_of_series(row[of_serie]) if revised else line["serie"] if of_run else None):
            raise Wrong(f"{where} is not about series {line['serie']}")
        if of_run and not revised:
            check_series(holder, line, where, row.get(of_run, ""), row.get(of_serie, ""))
        about = given["date"] if revised else row.get(of_day, "")
        if kind == "synthetic":  # of the month of any of its days
            month = datetime.datetime.strptime(about, "%Y%m%d").date()
            about = str(month.replace(day=calendar.monthrange(month.year, month.month)[1]))
        if about != given["date"].replace("-", "" if of_day == "fechainf" else "-") or row.get("kind", kind) != kind:
            raise Wrong(f"{where} is about {row.get(of_day)}, not {given['date']}")
        numbers = [number(row.get(column, "") or ("1" if kind == "stated_factor" else "")) for column in of_value]
        stated = None if None in numbers else form(*numbers)
        refuse(line["value"] is not None and stated != Decimal(line["value"]), f"{where} states {stated}")
        usable = line["value"] is not None and (of_day != "fechainf" or number(row["valorcuota"]) > 0)
        refuse(usable == line["void"] or line["void"] and of_day != "fechainf", f"{where}: void is {line['void']}")
        remarks += [f"{where} is void because of another column"] if line["void"] and stated is not None and stated > 0 else []
        rows.append((line, row))
    counting = [pair for pair in rows if pair[0]["counts"]]
    if len(counting) != 1 or len({row.get("eventid") for _, row in rows}) != 1:
        raise Wrong(f"{given['name']}: {len(counting)} lines count, or there are several events")
    (line, row), = counting
    def order(of, row):
        first = (int(row["revision"]),) if kind == "exchange" else rank(holder, given, of) if of_run else ()
        return first, moment(of["published_at"]), of["sha256"], of["line"], not of["void"]
    refuse(line is not max(rows, key=lambda pair: order(*pair))[0], f"{given['name']}: another line has to count")
    refuse(given["value"] != (None if line["void"] else line["value"]), f"{given['name']}: the line has {line['value']}")
    if given["value"] is not None and given["unit"] != (unit or f"{CURRENCIES.get(row.get('moneda'), row.get('moneda'))} per quota"):
        raise Wrong(f"{given['name']}: the unit is not {given['unit']}")
    return row, remarks


def fault(given, target, what=""):
    """Returns the reason why a value does not stand for a date, behind its place in their order; None if it does."""
    age = given["lines"] and (day(target) - day(given["date"])).days
    refuse(age and age < 0, f"{given['name']}{what} is later than {target}")
    sound = given["value"] is not None and Decimal(given["value"]) > 0
    why = 0 if not given["lines"] else 1 if not sound else 2 if age > TOLERANCE_DAYS else None
    return None if why is None else (why, f"{('missing', 'invalid', 'stale')[why]}_{given['name']}{what}")


def check_rates(files, valuation, quotes, inputs, currency):
    """Checks the rates of a return in pesos or in UF. Returns how the quotient changes, and the reason that they give."""
    rates = (["fx"] if currency == "DOLAR" else []) + (["uf"] if valuation == "real_uf" else [])
    if [of["name"] for of in inputs] != [side + rate for rate in rates for side in ("end_", "start_")]:
        raise Wrong(f"the rates have to be {rates} at the end and the start")
    change, reason = Decimal(1), None
    for rate, at_end, at_start in zip(rates, inputs[::2], inputs[1::2]):
        for given, quote in zip((at_end, at_start), quotes):
            check_input(files, None, given, rate)
            wrong = rate == "uf" and given["date"] not in (None, quote["date"]) or given["unit"] != KINDS[rate][1]
            refuse(wrong or given["target"] != quote["date"], f"{given['name']} is not of {quote['date']}")
        found = list(filter(None, map(fault, (at_end, at_start), [quote["date"] for quote in quotes])))
        reason = reason or min(found, default=(0, None))[1]
        if not found:
            quotient = Decimal(at_end["value"]) / Decimal(at_start["value"])
            change = change * quotient if rate == "fx" else change / quotient
    return change, reason


def targets(window, date):
    """Returns the dates at which a window ends and starts; RULES 1."""
    if window in MONTHS:  # the same day some months earlier, or the last day of that month
        year, month = divmod(date.year * 12 + date.month - 1 - MONTHS[window], 12)
        return date, date.replace(year=year, month=month + 1, day=min(date.day, calendar.monthrange(year, month + 1)[1]))
    if window == "ytd":
        return date, datetime.date(date.year - 1, 12, 31)
    refuse(window != "last_closed_month", f"there is no window {window}")
    end = date if (date + datetime.timedelta(1)).day == 1 else date.replace(day=1) - datetime.timedelta(1)
    return end, end.replace(day=1) - datetime.timedelta(1)


def check_exchanges(files, subject, exchanges):
    """Follows the exchanges of a total return. Returns the series that are held, each with its first day, and remarks."""
    held, remarks = [("", None)], []  # None is the subject
    for given in exchanges:
        row, _ = check_input(files, held[-1][1] or subject, given, "exchange")
        if row is None or given["date"] < held[-1][0] or given is not exchanges[-1] and given["held"] is None:
            raise Wrong("the exchanges do not follow each other")
        if given["held"] is not None:
            remarks += check_subject(given["held"])
            serie, to = row["destinationserie"], given["held"]
            known = [(of["run"], of["names"][0]["serie"]) for of in [subject, to] + [series for _, series in held[1:]]]
            if len(set(known)) < len(known) or len(held) > 5 or Decimal(given["value"]) <= 0 or row["valuationdate"] > given["date"]:
                raise Wrong(f"the rule does not follow the exchange of {given['date']}")
            check_series(to, {"serie": name_of_series(serie)}, "the exchange", row["destinationrun"], serie)
            held.append((given["date"], to))
    return held, remarks


def held_on(held, date):
    return [series for since, series in held if since <= (date or "")][-1]


def check_applied(files, receipt, held, exchanges, factors, wanted):
    """Checks what multiplies the quotas. Returns the multiplier, the reasons that lines show, and those that they allow."""
    end, start = receipt["inputs"][:2]
    multiplier, reasons, allowed, last = Decimal(1), [], [], start["date"] or ""
    for given in exchanges:
        multiplier *= Decimal(given["value"])
        reasons += ["origin_not_active_at_start"] if day(given["date"]) <= wanted[1] else []
        if day(given["date"]) > wanted[0] or (end["date"] is not None if given["held"] is None else given["date"] > (end["date"] or "9")):
            raise Wrong("an exchange is after the end")
    until = exchanges[-1]["date"] if exchanges and exchanges[-1]["held"] is None else end["date"] or str(wanted[0])
    for given in factors:
        row, _ = check_input(files, given["held"] or receipt["subject"], given, "factor")
        exchanged = any(of["date"] == given["date"] for of in exchanges)
        possible = [series for _, series in held] if exchanged else [held_on(held, given["date"])]
        if given["held"] not in possible or not last < given["date"] <= until:
            raise Wrong(f"the factor of {given['date']} is not of a day of the window and of the series that is held then")
        last, reasons = given["date"], reasons + (["ambiguous_exchange_distribution"] if exchanged else [])
        if row is None:
            reasons.append("missing_factor_coverage")
            continue
        multiplier *= Decimal(given["value"])
        of_file = [(line["sha256"], line["serie"]) for line in sorted(given["lines"], key=lambda line: line["counts"])]
        twice = of_file.count(of_file[-1]) > 1
        agrees = given["date"] == end["date"] and abs(number(row["quota"]) / Decimal(end["value"]) - 1) <= NEAR
        allowed += ["unsupported_adjustment"] if twice or number(row["adjustmentfactor"]) != 1 else []
        allowed += ["factor_quote_mismatch"] if twice or not agrees else []
        for wrong, why in ((twice, "duplicate_factor_date"),
                           (start["unit"] != row["currency"] + " per quota", "factor_currency_mismatch"),
                           (not 1 <= number(row["distributionfactor"]) <= Decimal("1.5"), "invalid_distribution_factor")):
            reasons += [why] if wrong else []
    return multiplier, reasons, allowed


def check_return(files, receipt):
    """Checks the inputs of a return against its window. Returns what the rule gives, the reason, and remarks."""
    subject, given_reason = receipt["subject"], receipt["reason"]
    (end, start), more = receipt["inputs"][:2], receipt["inputs"][2:]
    if subject["valuation"] not in ("accounting", "clp", "real_uf") or subject["basis"] not in ("price", "total"):
        raise Wrong(f"there is no valuation {subject['valuation']} with the basis {subject['basis']}")
    exchanges, factors = ([of for of in more if of["name"] == name] for name in ("exchange", "factor"))
    rates = [of for of in more if of["name"] not in ("exchange", "factor")]
    if (end["name"], start["name"]) != ("end", "start") or subject["basis"] == "price" and exchanges + factors:
        raise Wrong("the inputs are not the quotes at the end and the start, and what the return needs beside them")
    held, remarks = check_exchanges(files, subject, exchanges)
    stopped = bool(exchanges) and exchanges[-1]["held"] is None
    currencies, reason, wanted = [], None, targets(subject["window"], day(subject["date"]))
    for given, target in zip((end, start), wanted):
        series = held_on(held, given["date"]) if given is end else None
        refuse(given["held"] != series, f"another series is held at the {given['name']}")
        unjudged = stopped and given is end and given["date"] is None
        remarks += check_input(files, series or subject, given, "quote")[1][:0 if unjudged else None]
        currencies.append(None if given["value"] is None else given["unit"].split(" per quota")[0])
        refuse(given["target"] not in (None, str(target)), f"the {given['name']} of the window is {target}")
        reason = reason or (None if unjudged else (fault(given, str(target), "_quote") or ("", None))[1])
    if any(of["held"] is not None for of in rates) or any(of["target"] is not None for of in exchanges + factors):
        raise Wrong("a rate of a series, or a factor of another day")
    change, no_rate = Decimal(1), None
    known = not set(currencies) - {"PESOS", "DOLAR"} and end["value"] is not None and start["value"] is not None
    if subject["valuation"] != "accounting" and known and len(set(currencies)) == 1:
        change, no_rate = check_rates(files, subject["valuation"], (end, start), rates, currencies[0])
        remarks += ["whether a file is one of the UF or of the dólar does not stand in it"] if rates else []
    elif rates:
        raise Wrong("there are inputs that the return does not need")
    multiplier, shown, allowed = check_applied(files, receipt, held, exchanges, factors, wanted)
    remarks += ["that each day has one verified factor, which fits its quote, and that there is no other factor that is not 1, nor "
                "another exchange, follows from other lines"] if subject["basis"] == "total" else []
    if reason is None and None not in currencies and (len(set(currencies)) > 1 or set(currencies) - {"PESOS", "DOLAR"}):
        reason = "unknown_currency" if set(currencies) - {"PESOS", "DOLAR"} else "currency_change"
    if reason or no_rate:
        return None, reason or no_rate, remarks
    if given_reason in shown + allowed + (STOPS if stopped and not factors else []):
        return None, given_reason, remarks + [f"the reason {given_reason} follows from other lines"]
    if shown or stopped:
        refuse(given_reason not in OTHER_REASONS, f"the lines do not give the reason {given_reason}")
        return None, None, remarks
    value = Decimal(end["value"]) / Decimal(start["value"]) * change * multiplier
    return value ** (Decimal(1) / YEARS.get(subject["window"], 1)) - 1, None, remarks


def check_daily_costs(files, subject, inputs, remarks):
    """Computes a cost rate from the costs of days, the equity that bore them, and that of the days before; RULES 2."""
    count, rates = len(inputs) // 3, []
    days = [day(of["date"]) for of in inputs[:count]]
    wanted = [(name, None, str(on - datetime.timedelta(before))) for name, before in
              (("costs", 0), ("bearing_equity", 0), ("equity_before", 1)) for on in days]
    wrong = days != sorted(set(days)) or len({(on.year, on.month) for on in days}) != 1
    refuse(wrong or [(of["name"], of["target"], of["date"]) for of in inputs] != wanted, "these are not the inputs of a month")
    for of in inputs:
        check_input(files, subject, of, of["name"])
    values = [Decimal(of["value"]) for of in inputs]
    for on, costs, bearing, equity in zip(days, values, values[count:], values[2 * count:]):
        refuse(equity > 0 and not (bearing > 0 and bearing + costs > 0), f"{on} has no daily rate")
        rates.append(costs / (bearing + costs) if equity > 0 else Decimal(0))
    last = calendar.monthrange(days[0].year, days[0].month)[1]
    refuse(count < 15 or str(days[0].replace(day=last)) > subject["date"], f"{count} days give no rate at {subject['date']}")
    rate = sum(rates) / count * (365 + calendar.isleap(days[0].year))
    refuse(not 0 <= rate <= 1, f"{rate} is no rate")
    return rate, None, remarks + ["that no other day has a daily rate follows from other lines"][:count < last]


def check_price(files, receipt):
    """Checks the lines of a quota. Returns what they give, the reason, and remarks; RULES 1."""
    (given,), subject = receipt["inputs"], receipt["subject"]
    refuse(given["name"] != "quote" or given["date"] != subject["date"], "the input is not the quote of the day")
    _, remarks = check_input(files, subject, given, "quote")
    value = given["value"] and Decimal(given["value"])
    return value, None if value else "invalid_quote" if given["lines"] else "missing_quote", remarks


def check_cost(files, receipt):
    """Checks the lines of a cost rate. Returns what the rule gives, the reason, and remarks; RULES 2."""
    subject, inputs, remarks = receipt["subject"], receipt["inputs"], ["that no other rate counts follows from all files"]
    if subject["kind"] == "computed":
        return check_daily_costs(files, subject, inputs, remarks)
    (given,) = inputs
    refuse((given["name"], given["target"]) != ("rate", None) or subject["kind"] not in ("synthetic", "stated"), "no rate")
    check_input(files, subject, given, subject["kind"])
    refuse(given["value"] is None or given["date"] > subject["date"], f"the cost rate is of {given['date']}")
    return Decimal(given["value"]) / 100, None, remarks


def check_volatility(files, receipt):
    """Checks the month-end quotes of a volatility and the factors stated between. Returns as check_price does; RULES 5."""
    subject, inputs, months = receipt["subject"], receipt["inputs"], int(receipt["subject"]["field"][-3:-1])
    quotes, factors, growths = inputs[:months + 1], inputs[months + 1:], []
    named = [of["name"] for of in inputs] == ["month_end"] * (months + 1) + ["stated_factor"] * len(factors)
    ends, newest = [day(of["target"]) for of in quotes], targets("last_closed_month", day(subject["date"]))[0]
    follow = all(targets("last_closed_month", end) == (end, start) for start, end in zip(ends, ends[1:]))
    refuse(not named or not follow or ends[-1] > newest, "the inputs are not month ends and factors")
    rows = [check_input(files, subject, of, of["name"])[0] for of in inputs]
    newer = {"month end": newest > ends[-1],
             "quote before a month end": any(of["date"] not in (None, of["target"]) for of in quotes)}
    remarks = [f"that there is no newer {what} follows from other lines" for what, possible in newer.items() if possible]
    if receipt["value"] is None or any(fault(of, of["target"]) for of in quotes):
        return None, "missing_monthly_return", remarks
    in_one = {of["unit"] for of in quotes} in ({"PESOS per quota"}, {"DOLAR per quota"})
    refuse(not in_one, "the quotes are not all in pesos, or all in dollars")
    dates = [quotes[0]["date"]] + [of["date"] for of in factors]
    refuse(dates != sorted(set(dates)) or max(dates) > quotes[-1]["date"], "a factor of another day")
    refuse(any(not 1 <= (number(row["factordereparto"]) or 1) <= 1.5 for row in rows[len(quotes):]), "a factor is a break")
    for start, end in zip(quotes, quotes[1:]):
        stated = (Decimal(of["value"]) for of in factors if start["date"] < of["date"] <= end["date"])
        growths.append(Decimal(end["value"]) / Decimal(start["value"]) * math.prod(stated))
    volatility = statistics.stdev(growths) * (Decimal(12).sqrt() if "annualized" in subject["field"] else 1)
    return volatility, None, remarks + ["that no month has a break or another factor follows from other lines"]


# Of each number: the function that checks it, and the reason of a receipt without inputs, if there may be one.
FIELDS = {"return": (check_return, None), "price": (check_price, None), "tac": (check_cost, "no_cost_rate"), **{
    f"volatility_{per}_{months}m": (check_volatility, "no_risk_snapshot") for per in ("monthly", "annualized") for months in (12, 36)}}
OPERATIONS = {"sum": sum, "deviation": statistics.stdev, "product": math.prod, "quotient": lambda of: Decimal.__truediv__(*of),
              "power": lambda of: (lambda base, exponent: base ** exponent)(*of)}


def evaluated(formula, inputs):
    """Computes the formula of a receipt."""
    if formula["op"] == "input" and 0 <= formula["input"] < len(inputs):
        return Decimal(inputs[formula["input"]]["value"])
    if formula["op"] == "number":
        return Decimal(formula["number"])
    refuse(formula["op"] not in OPERATIONS, f"no formula: {formula['op']}")
    return OPERATIONS[formula["op"]]([evaluated(part, inputs) for part in formula["of"]])


def check_subject(subject):
    """Checks that a series is the one of its names. Returns remarks."""
    fund, digit = subject["run"].split("-")
    total = sum(int(of) * (2 + place % 6) for place, of in enumerate(reversed(fund)))  # RULES 12
    refuse(digit != "0K987654321"[total % 11], f"{digit} is not the check digit of {fund}")
    if subject["series"].isdecimal():
        keys = [f"series:{subject['run']}:{name['serie']}{more}" for name in subject["names"] for more in ("", "#1", "#2")]
        refuse(int(subject["series"]) not in [zlib.crc32(key.encode()) for key in keys], "the id is of another series")
    return ["that the series has had other names follows from another file"] if len(subject["names"]) > 1 else []


def check(files, receipt):
    """Checks one receipt. Returns remarks."""
    subject, field = receipt["subject"], receipt["subject"]["field"]
    refuse(field not in FIELDS, f"there is no rule for {field}")
    rule, without = FIELDS[field]
    empty = None, without, ["that there is nothing to compute it from follows from all files"]
    expected, reason, more = empty if without and not receipt["inputs"] else rule(files, receipt)
    remarks = check_subject(subject) + more
    of_return = [subject[name] is not None for name in ("window", "valuation", "basis")]
    if of_return != [field == "return"] * 3 or (subject["kind"] is None) != (field != "tac" or expected is None):
        raise Wrong(f"{field} with the window {subject['window']} and the kind {subject['kind']}")
    refuse(field != "return" and any(of["held"] is not None for of in receipt["inputs"]), f"{field} of another series")
    if receipt["value"] is None:
        given = receipt["reason"]
        if given == "no_complete_cutoff" and field == "return" and all(of["date"] is None and not of["lines"] for of in receipt["inputs"]):
            return remarks
        # What breaks a series comes before what a rate lacks.
        broken = (reason or "")[-3:] in ("_fx", "_uf") and given in ("currency_change", "known_discontinuity")
        refuse(reason is not None and given != reason and not broken, f"the reason is {reason}, not {given}")
        refuse(reason is None and (given not in OTHER_REASONS or field != "return"), f"{given!r} is no reason")
        elsewhere = reason is None or reason.startswith(("missing", "stale"))
        return remarks + [f"the reason {given} follows from other lines"][:elsewhere]
    refuse(receipt["reason"] is not None or receipt["formula"] is None, "a value with a reason, or without a formula")
    refuse(expected is None, f"there is no value: {reason}")
    value = Decimal(receipt["value"])
    for what, found in (("the rule", expected), ("the formula", evaluated(receipt["formula"], receipt["inputs"]))):
        refuse(not value.is_finite() or abs(found - value) > TOLERANCE * max(1, abs(found)), f"{what} gives {found}")
    return remarks


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    source = sys.stdin if arguments[0] == "-" else open(arguments[0], encoding="utf-8")
    files, ends = Files(arguments[1]), []
    with source, localcontext() as context:
        context.prec = 40
        for place, text in ((number, text) for number, text in enumerate(source, 1) if text.strip()):
            try:
                for remark in check(files, json.loads(text)["data"]["attributes"]):
                    print(f"{place}: {remark}")
                ends.append("right")
            except Unread as why:
                ends.append("unread")
                print(f"{place}: not checked: {why}")
            except (Wrong, KeyError, TypeError, csv.Error, ValueError, ArithmeticError, AttributeError, IndexError,
                    RecursionError, subprocess.CalledProcessError) as why:
                ends.append("wrong")
                print(f"{place}: wrong: " + (str(why) if isinstance(why, Wrong) else f"this is no receipt: {why!r}"))
    wrong, unread = ends.count("wrong"), ends.count("unread")
    print(f"{len(ends)} receipts, {wrong} of them wrong" + (f", {unread} not checked" if unread else ""))
    return 1 if wrong or not ends else 3 if unread else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
