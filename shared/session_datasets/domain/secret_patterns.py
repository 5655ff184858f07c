"""The patterns by which a secret is found in a text.

Every pattern is possessive and begins where the characters before it rule out another beginning, so a text is read a
fixed number of times, whatever it holds.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from session_datasets.domain.secret_words import ENDS


class Patterns(NamedTuple):
    private_key: re.Pattern[str]
    word: re.Pattern[str]
    authority: re.Pattern[str]
    user: re.Pattern[str]
    address: re.Pattern[str]
    clock: re.Pattern[str]
    sentence: re.Pattern[str]
    named: re.Pattern[str]
    value: re.Pattern[str]
    scheme: re.Pattern[str]
    known: re.Pattern[str]


@cache
def compiled() -> Patterns:
    """Compiled when the first text comes: most processes of a function never have one."""
    return Patterns(
        private_key=re.compile(
            r"(-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----)"
            r"(?:[^-]|-(?!----END ))*+"
        ),
        # What a URL or a user:password@host is found in: they hold no blanks.
        word=re.compile(r"[^\s\"<>`]++"),
        # A password may hold what ends a URL elsewhere, but not before what ends a field or a tag.
        authority=re.compile(r"://(?:[^\s\"<>`]|[\"<>`]++(?=[^\s,;:.)\]}/\\]))++"),
        # Oracle's user/password@host:port/service.
        address=re.compile(r"@(?://|(?!sha\d)[\w.-]++:\d{2,5}(?!\d))"),
        clock=re.compile(r"(?<!\S)\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?(?=@)"),
        sentence=re.compile(r"[ \t]++[a-z]", re.IGNORECASE),
        user=re.compile(r"[\w.%+~-]:(?=[^@])"),
        # name=, name: and "name": of any depth of quoting, name%3D, and --name of a command line.
        named=re.compile(
            rf"(?<![\w.-])(?:(?P<option>--[\w.-]++){ENDS}[ \t]++(?=[^\s-])"
            # PASSWORD 'x' and IDENTIFIED BY 'x' of SQL, quoted; without quotes where a user is created.
            r"|(?P<sql>(?:password|identified\s++(?:with\s++\S++\s++)?+by(?:\s++(?:password|values))?+)\s++(?=\\*+[\"'])"
            r"|(?:create|alter)\s++user\s++\S++\s++identified\s++by\s++(?=[^\s\"']))"
            rf"|(?P<name>[\w.-]++){ENDS}(?P<gap>\\*+[\"']?[ \t]*+(?:=>|:=|==?|:|%3[AD])[ \t]*+))",
            re.IGNORECASE,
        ),
        value=re.compile(
            r"(?P<scheme>(?:(?:Bearer|Basic|Digest|Token|Negotiate|ApiKey)[ \t]++(?=[^\s,;\"']))?+)"
            r"(?:(?P<open>\"|')(?P<quoted>(?:(?<=\")(?:[^\"\\\n]|\\.|\"\")*+|(?<=')(?:[^'\\\n]|\\.|'')*+))"
            # In JSON that is itself a text: three backslashes before a quote stand inside the value.
            r"|(?P<escaped_open>\\++[\"'])(?P<escaped>(?:[^\"'\\\n]|\\{2,}+[\"']?+|\\(?![\"']))*+)"
            # ODBC's {...}, in which only a brace that is doubled goes on.
            r"|(?P<open_brace>(?<==)\{(?!\s*+\\*+[\"']))(?P<braced>(?:[^}\n]|\}\})*+)"
            r"|(?P<open_list>\[|\(|\{(?!\s*+\\*+[\"']))(?P<listed>[^\])}\n]*+)"
            r"|(?P<bare>\*{3}(?=@)|(?!\{)(?:[^\s\"'&;,]|[&;,](?![A-Za-z_][\w.-]*+[=:])|[\"'](?![\s,}\]):;]|\Z))++))",
            re.IGNORECASE,
        ),
        scheme=re.compile(r"(?<![A-Za-z])(Bearer|Basic)([ \t]++)([A-Za-z0-9._~+/=-]{6,}+)", re.IGNORECASE),
        known=re.compile(
            # Key ids and session tokens of AWS.
            r"(?:A[KS]IA[A-Z0-9]{16,}+"
            r"|(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=%]{16,}+"
            # JWT, our own access tokens among them.
            r"|(?<![\w-])eyJ[\w-]{4,}+\.[\w-]{4,}+(?:\.[\w-]*+)*+"
            # Keys of well-known services carry their maker's mark.
            r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|xox[abeprs]-[A-Za-z0-9-]{10,}+"
            r"|(?<![\w-])sk-[\w-]{20,}+|AIza[\w-]{35}"
            r"|(?<![\w-])(?:dapi[0-9a-f]{20,}+|ya29\.[\w-]{10,}+|GOCSPX-[\w-]{10,}+|hf_[A-Za-z0-9]{16,}+"
            r"|glpat-[\w-]{10,}+|[srp]k_(?:live|test)_\w{8,}+|npm_[A-Za-z0-9]{16,}+"
            r"|SG\.[\w-]{10,}+\.[\w-]{10,}+|hv[sbr]\.[\w-]{16,}+))"
            # To the end of the word, so that what follows is no word's beginning that it was not before.
            r"[\w-]*+"
        ),
    )
