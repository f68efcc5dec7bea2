#!/usr/bin/env python3
"""Recomputes receipts of cuota from the files that they cite.

    receipt.py RECEIPTS FILES

RECEIPTS is a file with one answer of GET /api/explain on each line, or - for standard input. FILES is a directory
with the files that were ingested, under any names, or an archive of cuota. This program needs Python 3.9 and
nothing else; to read an archive it needs Python 3.14 or the program zstd. It shares no code with cuota.

Of each receipt it checks that every cited line is in a file with the stated hash, is about the series and the day,
and states the value; that the line that counts is the one that has to; that the quotes stand for the dates of the
window; and that the rule gives the number. It ends with 1 if anything is wrong, else with 3 if it could not check one.
It can't check that there is no other line: it prints a remark where a receipt depends on that, as on a missing quote.
"""

import calendar, csv, datetime, functools, hashlib, itertools, json, math, pathlib, re
import shutil, statistics, subprocess, sys, unicodedata, zlib
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
    """The files of a directory, by their hash. A file of an archive is named by it, and compressed."""

    def __init__(self, folder):
        paths = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
        self.paths = {path.stem if path.suffix == ".zst" else hashlib.sha256(path.read_bytes()).hexdigest(): path for path in paths}

    def content(self, path):
        if path.suffix != ".zst":
            return path.read_bytes()
        try:
            from compression import zstd
            return zstd.decompress(path.read_bytes())
        except ImportError:
            if shutil.which("zstd") is None:
                raise Unread("to read an archive, use Python 3.14 or install zstd")
            return subprocess.run(["zstd", "-dc", str(path)], check=True, stdout=subprocess.PIPE).stdout

    @functools.cache
    def lines(self, sha256):
        """Returns the lines of a file, the header first."""
        refuse(sha256 not in self.paths, f"no file has the hash {sha256}")
        data = self.content(self.paths[sha256])
        refuse(hashlib.sha256(data).hexdigest() != sha256, f"the file {sha256} has another hash")
        return [self.decoded(line) for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]

    def decoded(self, line):
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            return line.decode("cp1252", errors="replace")

    def row(self, line):
        """Returns a cited line by the names of its columns, of which only letters without accents and digits are kept."""
        if SEPARATORS.get(line["dataset"]) is None:
            raise (Unread if line["dataset"] in SEPARATORS else Wrong)(f"this program does not read files of {line['dataset']}")
        lines = self.lines(line["sha256"])
        refuse(not 1 < line["line"] <= len(lines), f"the file has no row in line {line['line']}")
        texts = [next(text for text in lines if text.strip()).rstrip("\r"), lines[line["line"] - 1].rstrip("\r")]
        of_cartola = ([value.strip().strip('"') for value in text.split(";")] for text in texts)  # quotation marks mean nothing
        header, values = csv.reader(texts) if SEPARATORS[line["dataset"]] == "," else of_cartola
        names = ("".join(filter(str.isalnum, unicodedata.normalize("NFD", name.casefold()))) for name in header)
        return dict(zip(names, (value.strip() for value in values)))

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

OF_COSTS = ("cartola",), "currency of the series", "runfm", "serie", "fechainf"
# Of each kind of input: the datasets, the unit, the columns of fund, series, day and value, and the value of these.
KINDS = {
    "quote": (("cartola", "fi-values"), "{} per quota", "runfm", "serie", "fechainf", ["valorcuota"], lambda quota: quota),
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
    "member_equity": (("cartola",), "{}", *OF_COSTS[2:], ["patrimonioneto"], lambda equity: equity),
    "stated_factor": (("cartola",), "quotas per quota", *OF_COSTS[2:], ["factordeajuste", "factordereparto"],
                      lambda *of: math.prod(one or 1 for one in of)),
    "exchange": (("events",), "quotas per quota", "originrun", "originserie", "effectivedate", ["factor"], lambda factor: factor),
}
# The kinds of inputs that have another name.
KIND_OF = {**dict.fromkeys(("end", "start", "peak", "trough", "month_end", "member_end", "member_start"), "quote"),
           "member_factor": "stated_factor", **dict.fromkeys(("end_fx", "start_fx"), "fx"), **dict.fromkeys(("end_uf", "start_uf"), "uf")}

def fault(given, target, what=""):
    """Returns the reason why a value does not stand for a date, behind its place in their order; None if it does."""
    age = given["lines"] and (day(target) - day(given["date"])).days
    refuse(age and age < 0, f"{given['name']}{what} is later than {target}")
    why = 0 if not given["lines"] else 1 if Decimal(given["value"] or 0) <= 0 else 2 if age > TOLERANCE_DAYS else None
    return None if why is None else (why, f"{('missing', 'invalid', 'stale')[why]}_{given['name']}{what}")

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

class Check:
    """A check of one receipt. The rules return what the lines give, and the reason if that is no number."""

    def __init__(self, files, receipt):
        self.files, self.receipt, self.subject, self.inputs = files, receipt, receipt["subject"], receipt["inputs"]
        self.remarks = []  # what follows from other lines than those that are cited

    def is_about(self, series, line, where, run, serie):
        """Checks that a line is about a series."""
        if run.split("-")[0].replace(".", "").lstrip("0") != series["run"].split("-")[0].lstrip("0"):
            raise Wrong(f"{where} is about fund {run}")
        names = {of["serie"] for of in series["names"]} & {line["serie"]}
        refuse(name_of_series(serie) not in names, f"{where} is about series {serie}")

    def rank(self, series, given, line):
        """Orders lines by the name of the series: the greatest counts, and of these the newest; RULES 1."""
        place, name = next(pair for pair in enumerate(series["names"]) if pair[1]["serie"] == line["serie"])
        return (name["valid_from"] or "0") <= given["date"] <= (name["valid_until"] or "9"), -place

    def read(self, given, of, kind=None):
        """Checks the lines of an input, the one that counts, and its value. Returns the row of that line, or None."""
        kind = kind or KIND_OF.get(given["name"], given["name"])
        datasets, unit, of_run, of_serie, of_day, of_value, form = KINDS[kind]
        if given["date"] is None or not given["lines"]:
            if given["lines"] or given["value"] is not None or kind in ("fx", "uf") and given["date"] is not None:
                raise Wrong(f"{given['name']}: a value without a line")
            self.remarks.append(f"that no line states the {given['name']} follows from all files")
            return None
        rows = []
        for line in given["lines"]:
            where = f"line {line['line']} of {line['sha256'][:12]}"
            refuse(line["dataset"] not in datasets, f"{where} is not of {' or '.join(datasets)}")
            row = self.files.row(line)
            revised = kind == "exchange" and not line["counts"]  # another revision may have another origin and another day
            if line["serie"] != (name_of_series(row[of_serie]) if revised else line["serie"] if of_run else None):
                raise Wrong(f"{where} is not about series {line['serie']}")
            if of_run and not revised:
                self.is_about(of, line, where, row.get(of_run, ""), row.get(of_serie, ""))
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
            if line["void"] and stated is not None and stated > 0:
                self.remarks.append(f"{where} is void because of another column")
            rows.append((line, row))
        def order(pair):
            each, stated = pair
            first = (int(stated["revision"]),) if kind == "exchange" else self.rank(of, given, each) if of_run else ()
            return first, each["published_at"].rstrip("Z"), each["sha256"], each["line"], not each["void"]
        line, row = max(rows, key=order)
        wrong = [each for each, _ in rows if each["counts"]] != [line] or len({each.get("eventid") for _, each in rows}) > 1
        refuse(wrong, f"{given['name']}: another line has to count, or there are several events")
        refuse(given["value"] != (None if line["void"] else line["value"]), f"{given['name']}: the line has {line['value']}")
        unit = unit.format(CURRENCIES.get(row.get("moneda"), row.get("moneda")))
        refuse(given["value"] is not None and given["unit"] != unit, f"{given['name']}: the unit is not {given['unit']}")
        return row

    def add_rates(self, quotes, inputs, currency):
        """Checks the rates of a return in pesos or in UF. Returns how the quotient changes, and the reason that they give."""
        rates = (["fx"] if currency == "DOLAR" else []) + (["uf"] if self.subject["valuation"] == "real_uf" else [])
        names = [side + rate for rate in rates for side in ("end_", "start_")]
        refuse([of["name"] for of in inputs] != names, f"the rates have to be {names}")
        change, reason = Decimal(1), None
        for rate, at_end, at_start in zip(rates, inputs[::2], inputs[1::2]):
            for given, quote in zip((at_end, at_start), quotes):
                self.read(given, None)
                wrong = rate == "uf" and given["date"] not in (None, quote["date"]) or given["unit"] != KINDS[rate][1]
                refuse(wrong or given["target"] != quote["date"], f"{given['name']} is not of {quote['date']}")
            found = list(filter(None, map(fault, (at_end, at_start), [quote["date"] for quote in quotes])))
            reason = reason or min(found, default=(0, None))[1]
            if not found:
                quotient = Decimal(at_end["value"]) / Decimal(at_start["value"])
                change = change * quotient if rate == "fx" else change / quotient
        self.remarks += ["whether a file is one of the UF or of the dólar does not stand in it"] if rates else []
        return change, reason

    def follow(self, exchanges):
        """Follows the exchanges of a total return. Returns the series that are held, each with its first day."""
        held = [("", self.subject)]
        for given in exchanges:
            row, to = self.read(given, held[-1][1]), given["held"]
            if row is None or given["date"] < held[-1][0] or given is not exchanges[-1] and to is None:
                raise Wrong("the exchanges do not follow each other")
            if to is not None:
                self.identify(to)
                known = [(of["run"], of["names"][0]["serie"]) for of in [to] + [series for _, series in held]]
                if len(set(known)) < len(known) or len(held) > 5 or Decimal(given["value"]) <= 0 or row["valuationdate"] > given["date"]:
                    raise Wrong(f"the rule does not follow the exchange of {given['date']}")
                serie = row["destinationserie"]
                self.is_about(to, {"serie": name_of_series(serie)}, "the exchange", row["destinationrun"], serie)
                held.append((given["date"], to))
        return held

    def applied(self, held, exchanges, factors, wanted):
        """Checks what multiplies the quotas. Returns the multiplier, the reasons that lines show, and those that they allow."""
        end, start = self.inputs[:2]
        multiplier, reasons, allowed, last = Decimal(1), [], [], start["date"] or ""
        for given in exchanges:
            multiplier *= Decimal(given["value"])
            reasons += ["origin_not_active_at_start"] if day(given["date"]) <= wanted[1] else []
            if day(given["date"]) > wanted[0] or (end["date"] is not None if given["held"] is None else given["date"] > (end["date"] or "9")):
                raise Wrong("an exchange is after the end")
        until = exchanges[-1]["date"] if exchanges and exchanges[-1]["held"] is None else end["date"] or str(wanted[0])
        for given in factors:
            series = given["held"] or self.subject
            row, exchanged = self.read(given, series), any(of["date"] == given["date"] for of in exchanges)
            possible = [each for since, each in held if exchanged or since <= given["date"]]
            if series not in (possible if exchanged else possible[-1:]) or not last < given["date"] <= until:
                raise Wrong(f"the factor of {given['date']} is not of a day of the window and of the series that is held then")
            last, reasons = given["date"], reasons + ["ambiguous_exchange_distribution"] * exchanged
            if row is None:
                reasons.append("missing_factor_coverage")
                continue
            multiplier *= Decimal(given["value"])
            of_file = [(line["sha256"], line["serie"]) for line in sorted(given["lines"], key=lambda line: line["counts"])]
            twice = of_file.count(of_file[-1]) > 1
            agrees = given["date"] == end["date"] and abs(number(row["quota"]) / Decimal(end["value"]) - 1) <= NEAR
            allowed += ["unsupported_adjustment"] * (twice or number(row["adjustmentfactor"]) != 1)
            allowed += ["factor_quote_mismatch"] * (twice or not agrees)
            reasons += ["duplicate_factor_date"] * twice
            reasons += ["factor_currency_mismatch"] * (start["unit"] != row["currency"] + " per quota")
            reasons += ["invalid_distribution_factor"] * (not 1 <= number(row["distributionfactor"]) <= Decimal("1.5"))
        return multiplier, reasons, allowed

    def of_return(self):
        """Checks the inputs of a return against its window; RULES 1."""
        subject, given_reason = self.subject, self.receipt["reason"]
        (end, start), more = self.inputs[:2], self.inputs[2:]
        if subject["valuation"] not in ("accounting", "clp", "real_uf") or subject["basis"] not in ("price", "total"):
            raise Wrong(f"there is no valuation {subject['valuation']} with the basis {subject['basis']}")
        exchanges, factors = ([of for of in more if of["name"] == name] for name in ("exchange", "factor"))
        rates = [of for of in more if of["name"] not in ("exchange", "factor")]
        if (end["name"], start["name"]) != ("end", "start") or subject["basis"] == "price" and exchanges + factors:
            raise Wrong("the inputs are not the quotes at the end and the start, and what the return needs beside them")
        held = self.follow(exchanges)
        stopped = bool(exchanges) and exchanges[-1]["held"] is None
        currencies, reason, wanted = [], None, targets(subject["window"], day(subject["date"]))
        for given, target in zip((end, start), wanted):
            series = [each for since, each in held if since <= (given is end and end["date"] or "")][-1]
            refuse((given["held"] or subject) != series, f"another series is held at the {given['name']}")
            self.read(given, series)
            currencies.append(None if given["value"] is None else given["unit"].split(" per quota")[0])
            refuse(given["target"] not in (None, str(target)), f"the {given['name']} of the window is {target}")
            unjudged = stopped and given is end and given["date"] is None
            reason = reason or (None if unjudged else (fault(given, str(target), "_quote") or ("", None))[1])
        wrong = [of["held"] for of in rates] + [of["target"] for of in exchanges + factors]
        refuse(any(each is not None for each in wrong), "a rate of a series, or a factor of another day")
        change, no_rate = Decimal(1), None
        known = not set(currencies) - {"PESOS", "DOLAR"} and end["value"] is not None and start["value"] is not None
        if subject["valuation"] != "accounting" and known and len(set(currencies)) == 1:
            change, no_rate = self.add_rates((end, start), rates, currencies[0])
        else:
            refuse(rates, "there are inputs that the return does not need")
        multiplier, shown, allowed = self.applied(held, exchanges, factors, wanted)
        self.remarks += ["that each day has one verified factor, which fits its quote, and that there is no other factor that is not 1, nor "
                         "another exchange, follows from other lines"] if subject["basis"] == "total" else []
        if reason is None and None not in currencies and (len(set(currencies)) > 1 or set(currencies) - {"PESOS", "DOLAR"}):
            reason = "unknown_currency" if set(currencies) - {"PESOS", "DOLAR"} else "currency_change"
        if reason or no_rate:
            return None, reason or no_rate
        if given_reason in shown + allowed + (STOPS if stopped and not factors else []):
            self.remarks.append(f"the reason {given_reason} follows from other lines")
            return None, given_reason
        if shown or stopped:
            refuse(given_reason not in OTHER_REASONS, f"the lines do not give the reason {given_reason}")
            return None, None
        value = Decimal(end["value"]) / Decimal(start["value"]) * change * multiplier
        return value ** (Decimal(1) / YEARS.get(subject["window"], 1)) - 1, None

    def of_daily_costs(self):
        """Computes a cost rate from the costs of days, the equity that bore them, and that of the days before; RULES 2."""
        count, rates = len(self.inputs) // 3, []
        days = [day(of["date"]) for of in self.inputs[:count]]
        wanted = [(name, None, str(on - datetime.timedelta(before))) for name, before in
                  (("costs", 0), ("bearing_equity", 0), ("equity_before", 1)) for on in days]
        wrong = days != sorted(set(days)) or len({(on.year, on.month) for on in days}) != 1
        refuse(wrong or [(of["name"], of["target"], of["date"]) for of in self.inputs] != wanted, "these are not the inputs of a month")
        for of in self.inputs:
            self.read(of, self.subject)
        values = [Decimal(of["value"]) for of in self.inputs]
        for on, costs, bearing, equity in zip(days, values, values[count:], values[2 * count:]):
            refuse(equity > 0 and not (bearing > 0 and bearing + costs > 0), f"{on} has no daily rate")
            rates.append(costs / (bearing + costs) if equity > 0 else Decimal(0))
        last = calendar.monthrange(days[0].year, days[0].month)[1]
        refuse(count < 15 or str(days[0].replace(day=last)) > self.subject["date"], f"{count} days give no rate at {self.subject['date']}")
        rate = sum(rates) / count * (365 + calendar.isleap(days[0].year))
        refuse(not 0 <= rate <= 1, f"{rate} is no rate")
        self.remarks += ["that no other day has a daily rate follows from other lines"][:count < last]
        return rate, None

    def of_price(self):
        """Checks the lines of a quota; RULES 1."""
        (given,) = self.inputs
        refuse(given["name"] != "quote" or given["date"] != self.subject["date"], "the input is not the quote of the day")
        self.read(given, self.subject)
        value = given["value"] and Decimal(given["value"])
        return value, None if value else "invalid_quote" if given["lines"] else "missing_quote"

    def of_cost(self):
        """Checks the lines of a cost rate; RULES 2."""
        subject = self.subject
        self.remarks.append("that no other rate counts follows from all files")
        if subject["kind"] == "computed":
            return self.of_daily_costs()
        (given,) = self.inputs
        refuse((given["name"], given["target"]) != ("rate", None) or subject["kind"] not in ("synthetic", "stated"), "no rate")
        self.read(given, subject, subject["kind"])
        refuse(given["value"] is None or given["date"] > subject["date"], f"the cost rate is of {given['date']}")
        return Decimal(given["value"]) / 100, None

    def of_risk(self):
        """Checks the month-end quotes of a figure of risk, the factors stated between, and the ends of a fall; RULES 5."""
        subject, months = self.subject, int(self.subject["field"][-3:-1])
        fell = subject["field"] == "max_drawdown_36m" and self.inputs[0]["name"] == "peak"
        ends, quotes, factors = (self.inputs[start:end] for start, end in
                                 ((0, 2 * fell), (2 * fell, 2 * fell + months + 1), (2 * fell + months + 1, None)))
        names = ["peak", "trough"] * fell + ["month_end"] * (months + 1) + ["stated_factor"] * len(factors)
        on, newest = [day(of["target"]) for of in quotes], targets("last_closed_month", day(subject["date"]))[0]
        follow = all(targets("last_closed_month", end) == (end, start) for start, end in zip(on, on[1:]))
        refuse([of["name"] for of in self.inputs] != names or not follow or on[-1] > newest, "the inputs are not month ends and factors")
        rows = [self.read(of, self.subject) for of in self.inputs]
        newer = ["month end"] * (newest > on[-1]) + ["quote before a month end"] * any(of["date"] not in (None, of["target"]) for of in quotes)
        self.remarks += [f"that there is no newer {what} follows from other lines" for what in newer]
        if self.receipt["value"] is None or any(fault(of, of["target"]) for of in quotes):
            return None, "missing_monthly_return"
        units = {of["unit"] for of in ends + quotes}
        refuse(len(units) > 1 or units - {"PESOS per quota", "DOLAR per quota"}, "the quotes are not all in pesos, or all in dollars")
        dates = [quotes[0]["date"]] + [of["date"] for of in factors]
        refuse(dates != sorted(set(dates)) or max(dates) > quotes[-1]["date"], "a factor of another day")
        refuse(any(not dates[0] <= of["date"] <= quotes[-1]["date"] for of in ends), "the fall is not of these months")
        refuse(any(not 1 <= (number(row["factordereparto"]) or 1) <= 1.5 for row in rows[len(rows) - len(factors):]), "a factor is a break")
        self.remarks.append("that no month has a break or another factor follows from other lines")
        worth = {of["date"]: Decimal(of["value"]) * math.prod(Decimal(by["value"]) for by in factors if by["date"] <= of["date"])
                 for of in sorted(ends + quotes, key=lambda of: of["date"])}
        if subject["field"].startswith("volatility"):
            volatility = statistics.stdev(worth[end["date"]] / worth[start["date"]] for start, end in zip(quotes, quotes[1:]))
            return volatility * (Decimal(12).sqrt() if "annualized" in subject["field"] else 1), None
        self.remarks.append("that there is no deeper fall between other days follows from other lines")
        return min(level / top - 1 for level, top in zip(worth.values(), itertools.accumulate(worth.values(), max))), None

    def of_index(self):
        """Checks the series of a step of the index of a family, and the level before; RULES 7."""
        on, money, change = self.subject["date"], self.subject["currency"], self.subject["field"] == "index_change"
        levels = [of for of in self.inputs if of["name"] == "level_before"]
        series = [of["held"] for of in self.inputs if of["name"] == "member_end"]
        count, before = len(series), min((of["date"] for of in self.inputs), default=on)
        members, factors = self.inputs[len(levels):][:3 * count], self.inputs[len(levels):][3 * count:]
        kinds = ("end", on, f"{money} per quota"), ("start", before, f"{money} per quota"), ("equity", before, money)
        wanted = [(f"member_{name}", date, unit, held) for name, date, unit in kinds for held in series]
        wrong = [(of["name"], of["date"], of["unit"], of["held"]) for of in members] != wanted or any(
            of["name"] != "member_factor" or of["held"] not in series or not before < of["date"] <= on for of in factors)
        wrong = wrong or any(of["held"] or of["lines"] or (of["date"], of["unit"]) != (before, "index points") for of in levels)
        refuse(wrong or len(levels) > (not change) or count and not change and not levels, "these are not the inputs of an index")
        for of in members + factors:
            self.identify(of["held"])
            self.read(of, of["held"])
        few, age = len({of["series"] for of in series}) < max(count, 3), (day(on) - day(before)).days
        few = few or len({of["run"] for of in series}) < 2 or not 0 < age <= TOLERANCE_DAYS
        refuse(few if count else levels and age <= TOLERANCE_DAYS, f"{count} series give no step of {age} days")
        self.remarks.append("of which family series are, which of them count, and the level before follow from other lines")
        weights, weighed = [Decimal(of["value"]) for of in members[2 * count:]], Decimal(0)
        for end, start, weight in zip(members, members[count:], weights):
            applied = [end] + [of for of in factors if of["held"] == end["held"]]
            weighed += weight * math.prod(Decimal(of["value"]) for of in applied) / Decimal(start["value"])
        mean = weighed / sum(weights) if count else Decimal(1)
        return 100 * (mean - 1) if change else mean * Decimal(levels[0]["value"] if levels else 100), None

    def identify(self, series):
        """Checks that a series is the one of its names."""
        fund, digit = series["run"].split("-")
        total = sum(int(of) * (2 + place % 6) for place, of in enumerate(reversed(fund)))  # RULES 12
        refuse(digit != "0K987654321"[total % 11], f"{digit} is not the check digit of {fund}")
        if series["series"].isdecimal():
            keys = [f"series:{series['run']}:{name['serie']}{more}" for name in series["names"] for more in ("", "#1", "#2")]
            refuse(int(series["series"]) not in [zlib.crc32(key.encode()) for key in keys], "the id is of another series")
        self.remarks += ["that the series has had other names follows from another file"] if len(series["names"]) > 1 else []

    def run(self):
        """Checks the receipt."""
        receipt, subject, field = self.receipt, self.subject, self.subject["field"]
        refuse(field not in FIELDS, f"there is no rule for {field}")
        rule, without, wanted = FIELDS[field]
        if subject["family"] is None:
            self.identify(subject)
        if without and not self.inputs and receipt["value"] is None:
            self.remarks.append("that there is nothing to compute it from follows from all files")
            expected, reason = None, receipt["reason"] if receipt["reason"] in without else without[0]
        else:
            expected, reason = rule(self)
        given = {name for name in ("window", "valuation", "basis", "kind", "family", "currency") if subject[name] is not None}
        refuse(given != wanted and (expected is not None or not given < wanted), f"{field} with {', '.join(given)}")
        refuse(not wanted - {"kind"} and any(of["held"] is not None for of in self.inputs), f"{field} of another series")
        if receipt["value"] is None:
            return self.without_value(reason)
        refuse(receipt["reason"] is not None or receipt["formula"] is None, "a value with a reason, or without a formula")
        refuse(expected is None, f"there is no value: {reason}")
        value = Decimal(receipt["value"])
        for what, found in (("the rule", expected), ("the formula", self.computed(receipt["formula"]))):
            refuse(not value.is_finite() or abs(found - value) > TOLERANCE * max(1, abs(found)), f"{what} gives {found}")

    def computed(self, formula):
        """Computes a formula of the receipt."""
        if formula["op"] == "input" and 0 <= formula["input"] < len(self.inputs):
            return Decimal(self.inputs[formula["input"]]["value"])
        if formula["op"] == "number":
            return Decimal(formula["number"])
        refuse(formula["op"] not in OPERATIONS, f"no formula: {formula['op']}")
        return OPERATIONS[formula["op"]]([self.computed(part) for part in formula["of"]])

    def without_value(self, reason):
        """Checks why there is no number. The lines give a reason, or None."""
        given, of_return = self.receipt["reason"], self.subject["field"] == "return"
        if given == "no_complete_cutoff" and of_return and all(of["date"] is None and not of["lines"] for of in self.inputs):
            return
        # What breaks a series comes before what a rate lacks.
        broken = (reason or "")[-3:] in ("_fx", "_uf") and given in ("currency_change", "known_discontinuity")
        refuse(reason is not None and given != reason and not broken, f"the reason is {reason}, not {given}")
        refuse(reason is None and (given not in OTHER_REASONS or not of_return), f"{given!r} is no reason")
        if reason is None or reason.startswith(("missing", "stale")):
            self.remarks.append(f"the reason {given} follows from other lines")

# Of each number: the method that checks it, the reasons of a receipt without inputs, and what its subject has.
FIELDS = {"return": (Check.of_return, (), {"window", "valuation", "basis"}), "price": (Check.of_price, (), set()),
          "tac": (Check.of_cost, ("no_cost_rate",), {"kind"}), "index": (Check.of_index, ("no_index_point",), {"family", "currency"}),
          "index_change": (Check.of_index, ("no_index_point", "no_index_change"), {"family", "currency"})}
FIELDS.update(dict.fromkeys(["max_drawdown_36m"] + [f"volatility_{per}_{months}m" for per in ("monthly", "annualized") for months in (12, 36)],
                            (Check.of_risk, ("no_risk_snapshot",), set())))
OPERATIONS = {"sum": sum, "deviation": statistics.stdev, "product": math.prod, "quotient": lambda of: Decimal.__truediv__(*of),
              "power": lambda of: (lambda base, exponent: base ** exponent)(*of)}

def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__)
    source = sys.stdin if arguments[0] == "-" else open(arguments[0], encoding="utf-8")
    files, ends = Files(arguments[1]), []
    with source, localcontext() as context:
        context.prec = 40
        for place, text in ((number, text) for number, text in enumerate(source, 1) if text.strip()):
            try:
                check = Check(files, json.loads(text)["data"]["attributes"])
                check.run()
                for remark in dict.fromkeys(check.remarks):
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
