#!/usr/bin/env python3
"""Recomputes receipts of cuota from the files that they cite, without code of cuota.

    receipt.py RECEIPTS FILES

RECEIPTS has one answer of GET /api/explain on each line, or is - for standard input. A rank or a score needs that of
GET /api/explain/peers as well, which receipts of peers that are given have to fit. FILES is a directory with the files
that were ingested, under any names, or an archive of cuota, for which Python 3.14 or the program zstd is needed. It
ends with 1 if anything is wrong, else with 3 if it could not check a receipt. It prints a remark where a receipt
depends on lines that it does not cite. docs/receipts.md says more. This program needs Python 3.9 and nothing else.
"""
import calendar, contextlib, csv, datetime, functools, hashlib, itertools, json, math, pathlib, re
import shutil, statistics, subprocess, sys, unicodedata, zlib
from decimal import ROUND_HALF_UP, Decimal, localcontext

MONTHS, YEARS = {"1m": 1, "3m": 3, "6m": 6, "1y": 12, "3y_ann": 36, "5y_ann": 60}, {"3y_ann": 3, "5y_ann": 5}
TOLERANCE_DAYS, TOLERANCE, NEAR, day = 7, Decimal("1e-12"), Decimal("1e-9"), datetime.date.fromisoformat
CURRENCIES = {"$$": "PESOS", "CLP": "PESOS", "PROM": "DOLAR", "USD": "DOLAR"}
SEPARATORS = {**dict.fromkeys(("uf", "dolar", "tac-comparator", "events"), ","), "cartola": ";"}
OF_RETURN, OF_FAMILY = {"window", "valuation", "basis"}, {"family", "currency"}
RISK = "max_drawdown_36m", *(f"volatility_{kind}_{of}m" for kind in ("monthly", "annualized") for of in (12, 36))
# What follows from lines that a receipt does not cite: of any return, and of one whose exchange is not followed.
OTHER_REASONS = ("unknown_currency", "currency_change", "known_discontinuity", "non_finite_return")
NO_PLACE = "not_in_screener", "other_family", "unknown_currency", "currency_change", "no_complete_cutoff"
STOPS = ["ambiguous_continuation", "continuation_cycle", "continuation_limit", "invalid_continuation"]
class Wrong(Exception): """What is wrong with a receipt."""
class Unread(Exception): """Why a receipt can't be checked."""
def refuse(wrong, why, kind=Wrong):
    if wrong:
        raise kind(why)
def demand_distinct(keys, what):
    refuse(len(set(keys)) < len(keys), f"{what} is listed twice")
def refuse_breaks(rows):  # RULES 5 and 7
    refuse(any(not 1 <= (number(row["factordereparto"]) or 1) <= 1.5 for row in rows), "a factor is a break")

class Files:  # of a directory; one of an archive is named by its hash, and of others the hash is computed
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
    @functools.cached_property
    def paths(self):
        return {hashlib.sha256(of.read_bytes()).hexdigest(): of for of in self.folder.rglob("*") if of.is_file()}
    def decompressed(self, path):
        try:
            from compression import zstd
            return zstd.decompress(path.read_bytes())
        except ImportError:
            refuse(shutil.which("zstd") is None, "to read an archive, use Python 3.14 or install zstd", Unread)
            return subprocess.run(["zstd", "-dc", str(path)], check=True, stdout=subprocess.PIPE).stdout
    @functools.cache
    def lines(self, sha256):
        archived = self.folder / sha256[:2] / f"{sha256}.zst"
        refuse(not archived.is_file() and sha256 not in self.paths, f"no file has the hash {sha256}")
        data = self.decompressed(archived) if archived.is_file() else self.paths[sha256].read_bytes()
        refuse(hashlib.sha256(data).hexdigest() != sha256, f"the file {sha256} has another hash")
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        unicode = (line.decode("utf-8", "ignore").encode() == line for line in lines)
        return [line.decode("utf-8" if each else "cp1252", "replace") for line, each in zip(lines, unicode)]
    def row(self, line):  # by the names of its columns, of which only plain letters and digits are kept
        unread = Unread if line["dataset"] in ("fi-values", "tac-monthly") else Wrong
        refuse(line["dataset"] not in SEPARATORS, f"this program does not read files of {line['dataset']}", unread)
        lines = self.lines(line["sha256"])
        refuse(not 1 < line["line"] <= len(lines), f"the file has no row in line {line['line']}")
        texts = [next(text for text in lines if text.strip()).rstrip("\r"), lines[line["line"] - 1].rstrip("\r")]
        cells = ([value.strip().strip('"') for value in text.split(";")] for text in texts)  # without quotation marks
        header, values = cells if SEPARATORS[line["dataset"]] == ";" else csv.reader(texts)
        names = ("".join(filter(str.isalnum, unicodedata.normalize("NFD", name.casefold()))) for name in header)
        return dict(zip(names, (value.strip() for value in values)))
def name_of_series(text):  # RULES 12
    return unicodedata.normalize("NFC", " ".join(text.split())).upper() or "UNICA"
def fund_of(run):
    return run.split("-")[0].replace(".", "").lstrip("0")
def number(text):  # returns a number of a file, which may have a decimal comma; None if it is none
    plain = (text.replace(".", "").replace(",", ".") if "," in text else text).strip()
    return Decimal(plain) if re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+([eE][+-]?[0-9]+)?", plain) else None
def rounded(value, decimals=4):  # which takes the noise of binary fractions away, as in 4047.3199999999997
    return value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
OF_COSTS = ("cartola",), "currency of the series", "runfm", "serie", "fechainf"
# Of each kind of input: the datasets, the unit, the columns of fund, series, day and value, and the value of these.
KINDS = {
    "quote": (("cartola", "fi-values"), "{} per quota", *OF_COSTS[2:], ["valorcuota"], Decimal),
    "fx": (("dolar",), "PESOS per DOLAR", None, None, "fecha", ["valor"], rounded),
    "uf": (("uf",), "PESOS per UF", None, None, "fecha", ["valor"], rounded),
    "synthetic": (("tac-comparator",), "percent per year", "forun", "fmserie", "fmfechanum", ["tacsintetica"],
                  lambda value: rounded(value, min(6, 7 - len(str(int(abs(value))))) if abs(value) >= 1 else 6)),
    "stated": (("tac-monthly",), "percent per year", None, None, "", [], None),
    "factor": (("events",), "quotas per quota", "run", "serie", "date", ["distributionfactor", "adjustmentfactor"],
               Decimal.__mul__),
    "costs": (*OF_COSTS, ["remfija", "remvariable", "gastosafectos", "gastosnoafectos"], lambda *parts: sum(parts)),
    "bearing_equity": (*OF_COSTS, ["cuotasencirculacion", "cuotasrescatadas", "cuotasaportadas", "valorcuota"],
                       lambda held, redeemed, contributed, quota: (held + redeemed - contributed) * quota),
    "equity_before": (*OF_COSTS, ["patrimonioneto"], Decimal),
    "member_equity": (("cartola",), "{}", *OF_COSTS[2:], ["patrimonioneto"], Decimal),
    "stated_factor": (("cartola",), "quotas per quota", *OF_COSTS[2:], ["factordeajuste", "factordereparto"],
                      lambda *of: math.prod(one or 1 for one in of)),
    "exchange": (("events",), "quotas per quota", "originrun", "originserie", "effectivedate", ["factor"], Decimal)}
KIND_OF = {**dict.fromkeys(("end", "start", "peak", "trough", "month_end", "member_end", "member_start"), "quote"),
           "end_fx": "fx", "start_fx": "fx", "end_uf": "uf", "start_uf": "uf", "member_factor": "stated_factor"}
def fault(given, target, what=""):  # returns why a value does not stand for a date, behind its place in their order
    age = given["lines"] and (day(target) - day(given["date"])).days
    refuse(age and age < 0, f"{given['name']}{what} is later than {target}")
    why = 0 if not given["lines"] else 1 if Decimal(given["value"] or 0) <= 0 else 2 if age > TOLERANCE_DAYS else None
    return None if why is None else (why, f"{('missing', 'invalid', 'stale')[why]}_{given['name']}{what}")
def targets(window, date):  # returns the dates at which a window ends and starts; RULES 1
    if window in MONTHS:  # the same day some months earlier, or the last day of that month
        year, month = divmod(date.year * 12 + date.month - 1 - MONTHS[window], 12)
        return date, datetime.date(year, month + 1, min(date.day, calendar.monthrange(year, month + 1)[1]))
    if window == "ytd":
        return date, datetime.date(date.year - 1, 12, 31)
    refuse(window != "last_closed_month", f"there is no window {window}")
    end = date if (date + datetime.timedelta(1)).day == 1 else date.replace(day=1) - datetime.timedelta(1)
    return end, end.replace(day=1) - datetime.timedelta(1)
def key_of(answer, *other):  # returns what a receipt is of, or the id of a list of peers
    of, names = answer["attributes"].get("subject"), ("series", "field", "window", "basis", "valuation", "date")
    return (*other, *map(of.get, names[len(other):])) if of else answer["id"]

class Check:  # of one receipt; its rules return what the lines give, and the reason if that is no number
    def __init__(self, files, answer, given):  # given are all receipts and lists of peers, by key_of
        self.files, self.answer, self.receipt, self.given = files, answer, answer["attributes"], given
        self.subject, self.inputs = self.receipt["subject"], self.receipt["inputs"]
        self.remarks = []  # what follows from other lines than those that are cited
    def is_about(self, series, where, run, serie):
        refuse(fund_of(run) != fund_of(series["run"]), f"{where} is about fund {run}")
        refuse(name_of_series(serie) not in [of["serie"] for of in series["names"]], f"{where} is about series {serie}")
    def read(self, given, of, kind=None):  # checks the lines of an input; returns the row that counts, or None
        kind = kind or KIND_OF.get(given["name"], given["name"])
        datasets, unit, of_run, of_serie, of_day, of_value, form = KINDS[kind]
        if given["date"] is None or not given["lines"]:
            wrong = given["lines"] or given["value"] is not None or kind in ("fx", "uf") and given["date"] is not None
            refuse(wrong, f"{given['name']}: a value without a line")
            return self.remarks.append(f"that no line states the {given['name']} follows from all files")
        rows = []
        for line in given["lines"]:
            where = f"line {line['line']} of {line['sha256'][:12]}"
            refuse(line["dataset"] not in datasets, f"{where} is not of {' or '.join(datasets)}")
            row = self.files.row(line)
            revised = kind == "exchange" and not line["counts"]  # it may have another origin and another day
            serie = name_of_series(row[of_serie]) if of_run else None
            refuse(line["serie"] != serie, f"{where} is not about series {line['serie']}")
            if of_run and not revised:
                self.is_about(of, where, row.get(of_run, ""), row.get(of_serie, ""))
            about = given["date"] if revised else row.get(of_day, "")
            if kind == "synthetic":  # of the month of any of its days
                month = datetime.datetime.strptime(about, "%Y%m%d").date()
                about = str(month.replace(day=calendar.monthrange(month.year, month.month)[1]))
            wrong = about != given["date"].replace("-", "" if of_day == "fechainf" else "-")
            refuse(wrong or row.get("kind", kind) != kind, f"{where} is about {row.get(of_day)}, not {given['date']}")
            numbers = [number(row.get(column, "") or ("1" if kind == "stated_factor" else "")) for column in of_value]
            stated = None if None in numbers else form(*numbers)
            refuse(line["value"] is not None and stated != Decimal(line["value"]), f"{where} states {stated}")
            usable = line["value"] is not None and (of_day != "fechainf" or number(row["valorcuota"]) > 0)
            refuse(usable == line["void"] or line["void"] and of_day != "fechainf", f"{where}: void is {line['void']}")
            self.remarks += [f"{where} is void because of another column"] * bool(line["void"] and (stated or 0) > 0)
            rows.append((line, row))
        def order(pair):  # the line under the name of the day counts, of these that of the newest name; RULES 1
            each, stated = pair
            at = re.fullmatch(r"([0-9-]{10}T[0-9:]{8}(?:\.[0-9]{1,9})?)Z", each["published_at"])
            refuse(not at, "a line is not published at an instant in UTC")
            first = [int(stated["revision"])] if kind == "exchange" else [
                ((name["valid_from"] or "0") <= given["date"] <= (name["valid_until"] or "9"), -place)
                for place, name in enumerate(of["names"] if of_run else []) if name["serie"] == each["serie"]][:1]
            return first, at[1], each["sha256"], each["line"], not each["void"]
        line, row = max(rows, key=order)
        wrong = any(each["counts"] != (each is line) or of.get("eventid") != row.get("eventid") for each, of in rows)
        refuse(wrong, f"{given['name']}: another line has to count, or there are several events")
        value, money = None if line["void"] else line["value"], row.get("moneda")
        found = value, given["unit"] if value is None else unit.format(CURRENCIES.get(money, money))
        refuse((given["value"], given["unit"]) != found, f"{given['name']}: the line has {found[0]} {found[1]}")
        return row
    def add_rates(self, quotes, inputs, currency):  # returns how the quotient changes, and the reason
        of = {"clp": ["fx"], "real_uf": ["fx", "uf"]}.get(self.subject["valuation"], []) if currency else []
        rates = [rate for rate in of if rate == "uf" or currency == "DOLAR"]
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
    def follow(self, exchanges):  # returns the series that are held, each with its first day
        held = [("", self.subject)]
        for given in exchanges:
            row, to = self.read(given, held[-1][1]), given["held"]
            wrong = row is None or given["date"] < held[-1][0] or given is not exchanges[-1] and to is None
            refuse(wrong, "the exchanges do not follow each other")
            if to is not None:
                self.identify(to)
                held.append((given["date"], to))
                why = f"the rule does not follow the exchange of {given['date']}"
                demand_distinct([(of["run"], of["names"][0]["serie"]) for _, of in held], why + ": a series")
                refuse(len(held) > 6 or Decimal(given["value"]) <= 0 or row["valuationdate"] > given["date"], why)
                self.is_about(to, "the exchange", row["destinationrun"], row["destinationserie"])
        return held
    def applied(self, held, exchanges, factors, wanted):  # returns the multiplier, and reasons
        end, start = self.inputs[:2]
        multiplier, reasons, allowed, last = Decimal(1), [], [], start["date"] or ""
        for given in exchanges:
            multiplier *= Decimal(given["value"])
            reasons += ["origin_not_active_at_start"] if day(given["date"]) <= wanted[1] else []
            wrong = end["date"] is not None if given["held"] is None else given["date"] > (end["date"] or "9")
            refuse(wrong or day(given["date"]) > wanted[0], "an exchange is after the end")
        until = exchanges[-1]["date"] if exchanges and exchanges[-1]["held"] is None else end["date"] or str(wanted[0])
        for given in factors:
            series = given["held"] or self.subject
            row, exchanged = self.read(given, series), any(of["date"] == given["date"] for of in exchanges)
            possible = [each for since, each in held if exchanged or since <= given["date"]]
            wrong = series not in (possible if exchanged else possible[-1:]) or not last < given["date"] <= until
            refuse(wrong, f"the factor of {given['date']} is not of a day of the window and of the series then")
            last, reasons = given["date"], reasons + ["ambiguous_exchange_distribution"] * exchanged
            if row is None:
                reasons.append("missing_factor_coverage")
                continue
            multiplier *= Decimal(given["value"])
            of_file = [(line["counts"], line["sha256"], line["serie"]) for line in given["lines"]]
            twice = [of[1:] for of in of_file].count(max(of_file)[1:]) > 1
            agrees = given["date"] == end["date"] and abs(number(row["quota"]) / Decimal(end["value"]) - 1) <= NEAR
            allowed += ["unsupported_adjustment"] * (twice or number(row["adjustmentfactor"]) != 1)
            allowed += ["factor_quote_mismatch"] * (twice or not agrees)
            reasons += ["duplicate_factor_date"] * twice
            reasons += ["factor_currency_mismatch"] * (start["unit"] != row["currency"] + " per quota")
            reasons += ["invalid_distribution_factor"] * (not 1 <= number(row["distributionfactor"]) <= Decimal("1.5"))
        return multiplier, reasons, allowed
    def of_return(self):  # checks the inputs of a return against its window; RULES 1
        subject, given_reason, (end, start, *more) = self.subject, self.receipt["reason"], self.inputs
        valuation, basis = subject["valuation"], subject["basis"]
        wrong = valuation not in ("accounting", "clp", "real_uf") or basis not in ("price", "total")
        exchanges, factors = ([of for of in more if of["name"] == name] for name in ("exchange", "factor"))
        rates = [of for of in more if of["name"] not in ("exchange", "factor")]
        wrong = wrong or (end["name"], start["name"]) != ("end", "start") or basis == "price" and exchanges + factors
        refuse(wrong, "the inputs are not the quotes at the end and the start, and what the return needs beside them")
        held, stopped = self.follow(exchanges), bool(exchanges) and exchanges[-1]["held"] is None
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
        known = currencies in (["PESOS", "PESOS"], ["DOLAR", "DOLAR"])
        change, no_rate = self.add_rates((end, start), rates, currencies[0] if known else None)
        multiplier, shown, allowed = self.applied(held, exchanges, factors, wanted)
        self.remarks += ["that each day has one verified factor, which fits its quote, and that there is no other "
                         "factor that is not 1, nor another exchange, follows from other lines"] * (basis == "total")
        if reason is None and None not in currencies and not known:
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
    def of_daily_costs(self):  # computes the mean of daily costs; RULES 2
        count, rates = len(self.inputs) // 3, []
        days = [day(of["date"]) for of in self.inputs[:count]]
        wanted = [(name, None, str(on - datetime.timedelta(before))) for name, before in
                  (("costs", 0), ("bearing_equity", 0), ("equity_before", 1)) for on in days]
        wrong = days != sorted(set(days)) or len({(on.year, on.month) for on in days}) != 1
        wrong = wrong or [(of["name"], of["target"], of["date"]) for of in self.inputs] != wanted
        refuse(wrong, "these are not the inputs of a month")
        values = [self.read(of, self.subject) and Decimal(of["value"]) for of in self.inputs]
        for on, costs, bearing, equity in zip(days, values, values[count:], values[2 * count:]):
            refuse(equity > 0 and not (bearing > 0 and bearing + costs > 0), f"{on} has no daily rate")
            rates.append(costs / (bearing + costs) if equity > 0 else Decimal(0))
        year, end = days[0].year, calendar.monthrange(days[0].year, days[0].month)[1]
        rate = sum(rates) / count * (365 + calendar.isleap(year))
        wrong = count < 15 or str(days[0].replace(day=end)) > self.subject["date"] or not 0 <= rate <= 1
        refuse(wrong, f"{count} days give no rate at {self.subject['date']}")
        self.remarks += ["that no other day has a daily rate follows from other lines"][:count < end]
        return rate, None
    def of_price(self):  # checks the lines of a quota; RULES 1
        (given,) = self.inputs
        refuse((given["name"], given["date"]) != ("quote", self.subject["date"]), "this is no quote of the day")
        self.read(given, self.subject)
        value = given["value"] and Decimal(given["value"])
        return value, None if value else "invalid_quote" if given["lines"] else "missing_quote"
    def of_cost(self):  # checks the lines of a cost rate; RULES 2
        kind = self.subject["kind"]
        self.remarks.append("that no other rate counts follows from all files")
        if kind == "computed":
            return self.of_daily_costs()
        (given,) = self.inputs
        wrong = kind not in ("synthetic", "stated") or (given["name"], given["target"]) != ("rate", None)
        refuse(wrong or self.read(given, self.subject, kind) is None, "no rate")
        refuse(given["value"] is None or given["date"] > self.subject["date"], f"the cost rate is of {given['date']}")
        return Decimal(given["value"]) / 100, None
    def of_risk(self, field=None):  # checks the quotes and factors of a figure of risk, and its fall; RULES 5
        subject, months = self.subject, int((field := field or self.subject["field"])[-3:-1])
        fell = subject["field"] in ("max_drawdown_36m", "risk_score") and self.inputs[0]["name"] == "peak"
        ends, quotes, factors = (self.inputs[start:end] for start, end in
                                 ((0, 2 * fell), (2 * fell, 2 * fell + months + 1), (2 * fell + months + 1, None)))
        names = ["peak", "trough"] * fell + ["month_end"] * (months + 1) + ["stated_factor"] * len(factors)
        on, newest = [day(of["target"]) for of in quotes], targets("last_closed_month", day(subject["date"]))[0]
        follow = all(targets("last_closed_month", end) == (end, start) for start, end in zip(on, on[1:]))
        wrong = [of["name"] for of in self.inputs] != names or any(of["target"] is not None for of in ends + factors)
        refuse(wrong or not follow or on[-1] > newest, "the inputs are not month ends and factors")
        rows = [self.read(of, self.subject) for of in self.inputs]
        newer = {"month end": newest > on[-1],
                 "quote before a month end": any(of["date"] not in (None, of["target"]) for of in quotes)}
        self.remarks += [f"that there is no newer {what} follows from other lines" for what in newer if newer[what]]
        if self.receipt["value"] is None or any(fault(of, of["target"]) for of in quotes):
            return None, "missing_monthly_return"
        mixed = {of["unit"] for of in ends + quotes} not in ({"PESOS per quota"}, {"DOLAR per quota"})
        refuse(mixed, "the quotes are not all in pesos, or all in dollars")
        dates = [quotes[0]["date"]] + [of["date"] for of in factors]
        refuse(dates != sorted(set(dates)) or max(dates) > quotes[-1]["date"], "a factor of another day")
        refuse_breaks(rows[len(rows) - len(factors):])
        self.remarks.append("that no month has a break or another factor follows from other lines")
        factor = lambda on: math.prod(Decimal(by["value"]) for by in factors if by["date"] <= on)
        by_day = sorted((of["date"], Decimal(of["value"])) for of in ends + quotes)
        worth = {on: quote * factor(on) for on, quote in by_day}
        if field.startswith("volatility"):
            growth = statistics.stdev(worth[to["date"]] / worth[of["date"]] for of, to in zip(quotes, quotes[1:]))
            return growth * (Decimal(12).sqrt() if "annualized" in field else 1), None
        self.remarks.append("that there is no deeper fall between other days follows from other lines")
        fall = min(level / top - 1 for level, top in zip(worth.values(), itertools.accumulate(worth.values(), max)))
        if fell:
            peak, trough = (of["date"] for of in ends)
            refuse(not dates[0] <= peak < trough <= quotes[-1]["date"], "the fall is not of these months")
            refuse(abs(worth[trough] / worth[peak] - 1 - fall) > TOLERANCE, "another fall between the days is deeper")
        return fall, None
    def read_peers(self, *fields):  # checks the list of peers, and what is given of their receipts
        about, listed, lacking = self.receipt["peers"], self.given.get(f"{self.answer.get('id')}_peers"), 0
        refuse(listed is None, f"the list of its peers is not given: GET {about['address']}", Unread)
        rows = [[of["series"], *of["values"]] for of in listed["peers"]]
        demand_distinct([int(series) for series, *_ in rows], "a peer")
        found = hashlib.sha256("".join(" ".join(row) + "\n" for row in rows).encode()).hexdigest(), len(rows)
        wrong = found != (about["sha256"], about["series"]) or not [*fields] == about["fields"] == listed["fields"]
        refuse(wrong or about["own"] not in [series for series, *_ in rows], "this is another list of peers")
        self.identify({**self.subject, "series": about["own"]})
        self.peers = {int(series): dict(zip(fields, map(Decimal, values))) for series, *values in rows}
        for (series, *_), field in itertools.product(rows, fields):
            of, value = self.given.get(key_of(self.answer, series, field)), self.peers[int(series)][field]
            wrong = of and (of["value"] is None or abs(Decimal(of["value"]) - value) > TOLERANCE)
            refuse(wrong, f"the list has {value} for the {field} of {series}, and its receipt another value")
            lacking += of is None
        self.remarks.append(f"which series are compared, and {lacking} of their values, follow from other receipts")
    def compared(self, op, field, found):  # compares a value with those of all peers; RULES 5 and 7
        own, values = int(self.receipt["peers"]["own"]), [(of[field], series) for series, of in self.peers.items()]
        value = self.peers[own][field]
        refuse(abs(found - value) > TOLERANCE, f"the lines give {found} for the {field}, and the list has {value}")
        place = 1 + sum((-of, series) < (-value, own) for of, series in values)
        return Decimal(place) if op == "place" else Decimal(sum((of < value) + (of <= value) for of, _ in values)) / 2
    def of_place(self):  # checks the place by a return; RULES 7
        found, reason = self.of_return()
        if found is None or self.receipt["value"] is None:
            return None, reason
        refuse((self.subject["valuation"], self.subject["basis"]) != ("accounting", "price"), "another return sorts")
        self.read_peers("return")
        return self.compared("place", "return", found), None
    def of_score(self):  # checks the mean of two ranks; RULES 5
        found = {field: self.of_risk(field)[0] for field in ("volatility_monthly_36m", "max_drawdown_36m")}
        if None in found.values():
            return None, "missing_monthly_return"
        self.read_peers(*found)
        calmer, deeper = (self.compared("midrank", *of) for of in found.items())
        return rounded(50 * (calmer + len(self.peers) - deeper) / len(self.peers), 0), None
    def of_index(self):  # checks the series of a step of the index of a family, and the level before; RULES 7
        on, money, change = self.subject["date"], self.subject["currency"], self.subject["field"] == "index_change"
        levels = [of for of in self.inputs if of["name"] == "level_before"]
        series = [of["held"] for of in self.inputs if of["name"] == "member_end"]
        count, before = len(series), min((of["date"] for of in self.inputs), default=on)
        members, factors = self.inputs[len(levels):][:3 * count], self.inputs[len(levels):][3 * count:]
        kinds = ("end", on, f"{money} per quota"), ("start", before, f"{money} per quota"), ("equity", before, money)
        wanted = [("level_before", before, "index points", None)] * len(levels)
        wanted += [(f"member_{name}", date, unit, held) for name, date, unit in kinds for held in series]
        wanted += [("member_factor", of["date"], "quotas per quota", of["held"]) for of in factors]
        wrong = [(of["name"], of["date"], of["unit"], of["held"]) for of in self.inputs] != wanted
        wrong = wrong or any(of["target"] or bool(of["lines"]) == (of in levels) for of in self.inputs)
        wrong = wrong or any(of["held"] not in series or not before < of["date"] <= on for of in factors)
        wrong = wrong or len(levels) > (not change) or count and not change and not levels
        refuse(wrong, "these are not the inputs of an index")
        for held in series:
            refuse(not held["series"].isdecimal(), f"{held['series']!r} is no id of a series")
            self.identify(held)
        rows = [self.read(of, of["held"]) for of in members + factors]
        keys = [(fund_of(row["runfm"]), name_of_series(row["serie"])) for row in rows[:count]]
        demand_distinct(keys, "a series")
        demand_distinct([(series.index(of["held"]), of["date"]) for of in factors], "a factor")
        refuse_breaks(rows[3 * count:])
        few, age = count < 3 or len({fund for fund, _ in keys}) < 2, (day(on) - day(before)).days
        wrong = few or not 0 < age <= TOLERANCE_DAYS if count else change or levels and age <= TOLERANCE_DAYS
        refuse(wrong, f"{count} series give no step of {age} days")
        other = "which series are in the family, which of them count, the level before, or another factor between"
        self.remarks.append(f"{other if self.inputs else 'that the index begins on this day'} follows from other lines")
        weights, weighed = [Decimal(of["value"]) for of in members[2 * count:]], Decimal(0)
        for end, start, weight, row in zip(members, members[count:], weights, rows):
            applied = {of["date"]: Decimal(of["value"]) for of in factors if of["held"] == end["held"]}
            stated = math.prod(number(row.get(column, "")) or 1 for column in KINDS["stated_factor"][5])
            wrong = not weight > 0 or applied.get(on, 1) != stated
            refuse(wrong, f"{end['held']['series']} weighs {weight}, and states the factor {stated} on {on}")
            weighed += weight * Decimal(end["value"]) * math.prod(applied.values()) / Decimal(start["value"])
        mean = weighed / sum(weights) if count else Decimal(1)
        return 100 * (mean - 1) if change else mean * Decimal(levels[0]["value"] if levels else 100), None
    def identify(self, series):  # checks that a series is the one of its names
        fund, digit = series["run"].split("-")
        total = sum(int(of) * (2 + place % 6) for place, of in enumerate(reversed(fund)))  # RULES 12
        refuse(digit != "0K987654321"[total % 11], f"{digit} is not the check digit of {fund}")
        if series["series"].isdecimal():
            keys = [f"series:{series['run']}:{of['serie']}{n}" for of in series["names"] for n in ("", "#1", "#2")]
            refuse(int(series["series"]) not in [zlib.crc32(key.encode()) for key in keys], "the id is another one's")
        self.remarks += ["that the series has had other names follows from another file"][:len(series["names"]) > 1]
    def run(self):
        receipt, subject, field = self.receipt, self.subject, self.subject["field"]
        refuse(field not in FIELDS, f"there is no rule for {field}")
        rule, without, wanted = FIELDS[field]
        if subject.get("family") is None:
            self.identify(subject)
        refuse(subject.get("currency") not in (None, "PESOS", "DOLAR"), "an index is in PESOS or DOLAR")
        if without and not self.inputs and receipt["value"] is None:
            self.remarks.append("that there is nothing to compute it from follows from all files")
            expected, reason = None, receipt["reason"] if receipt["reason"] in without else without[0]
        else:
            expected, reason = rule(self)
        given = {name for _, _, parts in FIELDS.values() for name in parts if subject.get(name) is not None}
        refuse(given != wanted and (expected is not None or not given < wanted), f"{field} with {', '.join(given)}")
        refuse(any(of["held"] for of in self.inputs) and not wanted - {"kind"}, f"{field} of another series")
        if receipt["value"] is None:
            return self.without_value(reason)
        wrong = receipt["reason"] is not None or receipt["formula"] is None or expected is None
        refuse(wrong, f"a value with a reason, without a formula, or where there is none: {reason}")
        value = Decimal(receipt["value"])
        for what, found in (("the rule", expected), ("the formula", self.computed(receipt["formula"]))):
            endless = not (math.isfinite(value) and math.isfinite(found))
            refuse(endless or abs(found - value) > TOLERANCE * max(1, abs(found)), f"{what} gives {found}")
    def computed(self, formula):
        if formula["op"] == "input" and 0 <= formula["input"] < len(self.inputs):
            return Decimal(self.inputs[formula["input"]]["value"])
        if formula["op"] == "number":
            return Decimal(formula["number"])
        if formula["op"] in ("place", "midrank"):
            return self.compared(formula["op"], formula["field"], *map(self.computed, formula["of"]))
        refuse(formula["op"] not in OPERATIONS, f"no formula: {formula['op']}")
        return OPERATIONS[formula["op"]]([self.computed(part) for part in formula["of"]])
    def without_value(self, reason):  # checks why there is no number. The lines give a reason, or None
        given, of_return = self.receipt["reason"], self.subject["field"] in ("return", "rank")
        if given == "no_complete_cutoff" and of_return and not any(of["date"] or of["lines"] for of in self.inputs):
            return
        # What breaks a series comes before what a rate lacks.
        broken = (reason or "")[-3:] in ("_fx", "_uf") and given in ("currency_change", "known_discontinuity")
        refuse(reason is not None and given != reason and not broken, f"the reason is {reason}, not {given}")
        refuse(reason is None and (given not in OTHER_REASONS or not of_return), f"{given!r} is no reason")
        of_others = reason is None or reason.startswith(("missing", "stale"))
        self.remarks += [f"the reason {given} follows from other lines"] * of_others
# Of each number: the method that checks it, the reasons of a receipt without inputs, and what its subject has.
FIELDS = {
    "return": (Check.of_return, (), OF_RETURN), "price": (Check.of_price, (), set()),
    "rank": (Check.of_place, NO_PLACE, OF_RETURN), "risk_score": (Check.of_score, ("no_risk_snapshot",), set()),
    "tac": (Check.of_cost, ("no_cost_rate",), {"kind"}), "index": (Check.of_index, ("no_index_point",), OF_FAMILY),
    "index_change": (Check.of_index, ("no_index_point", "no_index_change"), OF_FAMILY),
    **dict.fromkeys(RISK, (Check.of_risk, ("no_risk_snapshot",), set()))}
OPERATIONS = {"sum": sum, "deviation": statistics.stdev, "product": math.prod, "rounded": lambda of: rounded(*of, 0),
              "quotient": lambda of: Decimal.__truediv__(*of), "power": lambda of: (lambda base, by: base ** by)(*of)}

def main(receipts, folder):
    source = sys.stdin if receipts == "-" else open(receipts, encoding="utf-8")
    files, ends, given = Files(folder), [], {}
    with source, localcontext() as context:
        context.prec, texts = 40, [(number, text) for number, text in enumerate(source, 1) if text.strip()]
        for _, text in texts:
            with contextlib.suppress(Exception):  # the check says what is wrong
                given[key_of(json.loads(text)["data"])] = json.loads(text)["data"]["attributes"]
        for place, text in texts:
            try:
                answer = json.loads(text)["data"]
                if answer.get("type") == "receipt_peers":
                    continue
                check = Check(files, answer, given)
                check.run()
                for remark in dict.fromkeys(check.remarks):
                    print(f"{place}: {remark}")
                ends.append("right")
            except Exception as why:  # also what another form of a receipt leads to
                ends.append("not checked" if isinstance(why, (Unread, OSError)) else "wrong")
                known = isinstance(why, (Wrong, Unread, OSError))
                print(f"{place}: {ends[-1]}: {why if known else f'this is no receipt: {why!r}'}")
    wrong, unread = ends.count("wrong"), ends.count("not checked")
    print(f"{len(ends)} receipts, {wrong} of them wrong" + (f", {unread} not checked" if unread else ""))
    return 1 if wrong or not ends else 3 if unread else 0

if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
    except (OSError, UnicodeError) as why:
        sys.exit(f"the receipts can't be read: {why}")
