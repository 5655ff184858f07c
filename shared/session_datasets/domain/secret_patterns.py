"""The patterns by which a secret is found in a text.

Every pattern is possessive and begins where the characters before it rule out another beginning, so a text is read a
fixed number of times, whatever it holds.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from session_datasets.domain.secret_words import ENDS

# A quote, in JSON that is itself a text, or in a URL.
_QUOTE = r"(?:\\*+[\"']|%2[27])"
# E'…' of SQL, b"…" of Python, N'…', U&'…', _utf8'…': what may stand before a literal.
_PREFIX = r"(?:(?:[befnurx]|[bf]r|r[bf]|u&|_[a-z0-9]{2,12})(?=\\*+[\"']))?+"
# Where one may begin; the value then is one, or none.
_LITERAL = r"(?=[\w&]{0,13}+\\*+[\"'$])"
# Closed on its line, or on a later one; if it never is, to the end of its line.
_IN_DOUBLE = r'(?<=")(?:(?:[^"\\\n]|\\.|"")*+(?=")|(?:[^"\\]|\\[\s\S]|"")*+(?=")|(?:[^"\\\n]|\\.|"")*+)'
_IN_SINGLE = _IN_DOUBLE.replace('"', "'")


class Patterns(NamedTuple):
    private_key: re.Pattern[str]
    word: re.Pattern[str]
    authority: re.Pattern[str]
    user: re.Pattern[str]
    address: re.Pattern[str]
    of_oracle: re.Pattern[str]
    clock: re.Pattern[str]
    sentence: re.Pattern[str]
    named: re.Pattern[str]
    value: re.Pattern[str]
    alone: re.Pattern[str]
    block: re.Pattern[str]
    items: re.Pattern[str]
    cookies: re.Pattern[str]
    assigned: re.Pattern[str]
    part: re.Pattern[str]
    scheme: re.Pattern[str]
    option: re.Pattern[str]
    hook: re.Pattern[str]
    known: re.Pattern[str]
    reference: re.Pattern[str]
    parting: re.Pattern[str]
    plain_part: re.Pattern[str]


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
        # Oracle's user/password@host:port/service, and what it is passed to when there is a name alone.
        address=re.compile(r"@(?://|(?!sha\d)[\w.-]++:\d{2,5}(?!\d))"),
        of_oracle=re.compile(
            r"(?<!\w)(?:sqlplus|sqlcl|sqlldr|rman|target|expdp|impdp|conn(?:ect)?|userid)"
            r"(?:[ \t]++-\w{1,10}+)*+[ \t=('\"]{1,4}+[\w$#.]{1,128}+\Z",
            re.IGNORECASE,
        ),
        clock=re.compile(r"(?<!\S)\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?(?=@)"),
        sentence=re.compile(r"[ \t]++[a-z]", re.IGNORECASE),
        user=re.compile(r"[\w.%+~-]:(?=[^@])"),
        named=re.compile(_NAMED, re.IGNORECASE),
        value=re.compile(_VALUE, re.IGNORECASE),
        # The value in the line below its name: alone there, or in quotes.
        alone=re.compile(r"(?:[^\s\"'\[{(#-]|-(?!\s))[^\s\"']*+(?=[ \t]*+(?:\r?\n|\Z))"),
        # Lines as deep as the first, and deeper.
        block=re.compile(r"(?P<depth>[ \t]++)[^\n]++(?:\n(?P=depth)[^\n]*+)*+"),
        items=re.compile(r"(?P<depth>[ \t]*+)-[ \t]++(?![\w.-]++:(?:\s|\Z))[^\n]++(?:\n(?P=depth)-[ \t]++[^\n]*+)*+"),
        cookies=re.compile(r"[^\s;,=\"']++=[^\s;,\"']*+(?:;[ \t]*+[^\s;,=\"']++(?:=[^\s;,\"']*+)?+)*+"),
        # A default behind a type: password: str | None = "x".
        assigned=re.compile(r"(?:[ \t|\w.\[\]]|,(?=[ \t\w.|\[]{0,40}+\])){0,120}+=(?!=)[ \t]*+"),
        part=re.compile(
            r"(?P<open>[\[({])|(?P<close>[\])}])"
            r"|(?P<quote>\"|')(?P<text>(?:(?<=\")(?:[^\"\\]|\\[\s\S])*+|(?<=')(?:[^'\\]|\\[\s\S])*+))[\"']?"
            r"|(?P<escaped_quote>\\++[\"'])(?P<escaped>(?:[^\"'\\]|\\{2,}+[\"']?+|\\(?![\"']))*+)(?:\\[\"'])?"
            r"|(?P<bare>[^\s\[({\])},:\"'\\]++)|(?P<between>[\s,:]++|\\++)"
        ),
        scheme=re.compile(r"(?<![A-Za-z])(Bearer|Basic)([ \t]++)([A-Za-z0-9._~+/=-]{6,}+)", re.IGNORECASE),
        # curl -u user:password
        option=re.compile(
            r"(?<!\S)((?:-u|--user|-U|--proxy-user)[ \t=]*+"
            r"(?:[\"'][^\s:\"'/]++:(?=[^\"'\n])|[^\s:\"'/]++:(?=[^\s\"'])))"
            r"(?:[^\s\"']|[ \t](?=[^\"'\n -]*+[\"']))++"
        ),
        hook=re.compile(
            r"(hooks\.slack\.com/\w++/|discord(?:app)?\.com/api/webhooks/|webhook\.office\.com/webhookb2/)[\w/@.-]++",
            re.IGNORECASE,
        ),
        known=re.compile(_KNOWN),
        # ${DB_PASSWORD}, $(openssl rand -hex 32), %(password)s, $1, <your token>: what stands for a value.
        reference=re.compile(
            r"\$\{[A-Za-z_]\w*+\}|\$[A-Z_][A-Z_0-9]*+|\$\((?![ \t]*+(?:echo|printf)\b)[\w \t./-]++\)|\$\d{1,3}"
            r"|%\(\w++\)s|:[A-Za-z_]++|<[A-Za-z][A-Za-z _-]*+>|\$\{\{[\w \t.]++\}\}"
        ),
        parting=re.compile(r"[^A-Za-z0-9]++"),
        # Of words of one case, of camel case with words of three letters and more, and of short numbers.
        plain_part=re.compile(
            r"[a-z]{1,22}|[A-Z]{1,22}|[A-Z]?[a-z]{2,21}(?:[A-Z][a-z]{2,21}){0,3}|\d{1,4}",
        ),
    )


# A name, and what says that its value follows.
_NAMED = (
    rf"(?<![\w.-])(?:(?P<option>--[\w.-]++){ENDS}[ \t]++(?=[^\s-])"
    # IDENTIFIED BY of SQL, quoted; without quotes where a user is created or may do something.
    r"|(?P<sql>identified\s++(?:with\s++\S++\s++)?+by(?:\s++(?:password|values?))?+\s++(?=\\*+[\"'])"
    r"|(?:create|alter)\s++user\s++\S++\s++identified\s++by\s++(?=[^\s\"'])"
    r"|(?-i:IDENTIFIED)\s++(?-i:BY)\s++(?!VALUES?\b|EXTERNALLY|GLOBALLY)(?=[^\s\"'])"
    r"|set\s++password\s++(?:for\s++[^\s=]++\s*+)?+=\s*+(?=\\*+[\"']))"
    r"|(?P<granted>to\s++\S++\s++identified\s++by\s++(?=[^\s\"']))"
    rf"|(?P<head>(?:(?:api|access|secret|account|private|connection)[ \t](?=(?:key|token|string)))?+)"
    rf"(?P<name>[\w.-]++){ENDS}(?:"
    # Before others: the value below, of YAML and of JSON in lines.
    rf"(?P<below>{_QUOTE}?+:[ \t]*+(?P<folded>(?:[|>][+-]?\d?+[ \t]*+)?+)\r?\n(?=[ \t]*+[^\s]))"
    # name=, name: and "name": of any depth of quoting, name%3D, [name]=, and comparisons.
    rf"|(?P<gap>{_QUOTE}?+(?:\](?=[ \t]*+[=!]))?+[ \t]*+(?:=>|:=|[!=]?==?|<>|:|%3[AD])[ \t]*+)"
    rf"|(?P<compared>{_QUOTE}?+[ \t]++(?:not[ \t]++)?+(?:i?like|rlike|regexp|similar[ \t]++to)[ \t]++{_LITERAL}"
    rf"|{_QUOTE}?+[ \t]++(?:not[ \t]++)?+in[ \t]*+(?=\([ \t]*+[\w&]{{0,13}}+\\*+[\"']))"
    # SQL's PASSWORD 'x', and PASSWORD('x').
    rf"|(?P<stated>\s++{_LITERAL})|(?P<called>[ \t]*+\([ \t]*+{_LITERAL})"
    # {"name": "name", "value": "x"} however it is written, and ("name", "x").
    rf"|(?P<beside>{_QUOTE}?+(?:[ \t]*+,\s*+|\s++){_QUOTE}?+"
    rf"(?:(?:parameter|option|header|secret|string|plain|env)_?)?+value{_QUOTE}?+[ \t]*+[:=][ \t]*+)"
    rf"|(?P<paired>\\*+[\"'][ \t]*+,\s*+{_LITERAL})"
    r"|(?P<tag>(?<=[\w.-])(?:\s[^<>]{0,200}+)?+(?<!/)>(?=[^\s<]))))"
)

_VALUE = (
    r"(?P<scheme>(?:(?:Bearer|Basic|Digest|Token|Negotiate|ApiKey)[ \t]++(?=[^\s,;\"']))?+)"
    rf"(?P<prefix>{_PREFIX})"
    rf"(?:(?P<open>\"|')(?P<quoted>{_IN_DOUBLE}|{_IN_SINGLE})"
    # In JSON that is itself a text: three backslashes before a quote stand inside the value.
    r"|(?P<escaped_open>\\++[\"'])(?P<escaped>(?:[^\"'\\\n]|\\{2,}+[\"']?+|\\(?![\"']))*+)"
    r"|(?P<url_open>%2[27])(?P<in_url>(?:[^\s\"'&%]|%(?!2[27]))*+)"
    r"|(?P<dollar>\$(?:[a-z_]\w{0,30}+)?+\$)(?P<dollared>(?:[^$]|(?!(?P=dollar))\$)*+)"
    r"|(?P<command>\$\([^()\n]{0,200}+\)|\$\{[^{}\n]{0,200}+\}|<[a-z][a-z _-]{0,40}+>)"
    # ODBC's {...}, in which only a brace that is doubled goes on.
    r"|(?P<open_brace>(?<==)\{(?!\s*+\\*+[\"']))(?P<braced>(?:[^}\n]|\}\})*+)"
    r"|(?P<container>[\[({])"
    r"|(?P<bare>\*{3}(?=@)|(?:[^\s\"'&;,]|[&;,](?![A-Za-z_][\w.-]*+[=:])|[\"'](?![\s,}\]):;]|\Z))++))"
)

_KNOWN = (
    # Key ids and session tokens of AWS.
    r"(?:A[KS]IA[A-Z0-9]{16,}+"
    r"|(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=%]{16,}+"
    # JWT, our own access tokens among them.
    r"|(?<![\w-])eyJ[\w-]{4,}+\.[\w-]{4,}+(?:\.[\w-]*+)*+"
    # Keys of well-known services carry their maker's mark.
    r"|gh[pousr]_[A-Za-z0-9]{20,}+|github_pat_\w{20,}+|xox[abeprs]-[A-Za-z0-9-]{10,}+|xapp-[A-Za-z0-9-]{10,}+"
    r"|(?<![\w-])sk-[\w-]{20,}+|AIza[\w-]{35}"
    # A bot's, in a path behind "bot".
    r"|(?<!\d)\d{8,10}:AA[\w-]{30,}+"
    r"|(?<![\w-])(?:dapi[0-9a-f]{20,}+|ya29\.[\w-]{10,}+|GOCSPX-[\w-]{10,}+|(?:hf|r8|gsk)_[A-Za-z0-9]{16,}+"
    r"|gl(?:pat|ptt|dt|rt|cbt|soat)-[\w-]{10,}+|[srp]k_(?:live|test)_\w{8,}+|npm_[A-Za-z0-9]{16,}+"
    r"|shp(?:at|ca|pa|ss)_[0-9A-Za-z]{16,}+|pypi-[\w-]{16,}+|dckr_pat_[\w-]{16,}+|do[opr]_v1_[0-9a-f]{16,}+"
    r"|whsec_[A-Za-z0-9+/=]{16,}+|lin_api_[A-Za-z0-9]{16,}+|lsv2_(?:pt|sk)_\w{16,}+|glsa_\w{16,}+|sntr[ysu]{2}_\w{16,}+"
    r"|rubygems_[0-9a-f]{16,}+|pscale_\w{2,8}_[\w.-]{16,}+|figd_[\w-]{16,}+|ntn_[A-Za-z0-9]{16,}+|sbp_[0-9a-f]{16,}+"
    r"|PMAK-[\w-]{16,}+|NRAK-[A-Z0-9]{16,}+|ATATT3[\w=-]{16,}+|xai-[A-Za-z0-9]{20,}+|pplx-[A-Za-z0-9]{20,}+"
    r"|tvly-[\w-]{16,}+|sq0(?:atp|csp)-[\w-]{16,}+|AGE-SECRET-KEY-1[A-Z0-9]{16,}+"
    r"|SG\.[\w-]{10,}+\.[\w-]{10,}+|hv[sbr]\.[\w-]{16,}+))"
    # To the end of the word, so that what follows is no word's beginning that it was not before.
    r"[\w-]*+"
)
