"""Secrets out of text, before anybody reads it: a model, a log, a record, a terminal.

Whatever is unclear counts as a secret: a word too many is lost, never a password kept. Every pattern is possessive and
begins where the characters before it rule out another beginning, so a text is read a fixed number of times, whatever
it holds.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from session_datasets.domain.names import CONVERSATIONS_SEGMENT, DERIVED_PREFIX, RUNS_SEGMENT

MASK = "***"
CUT_MARK = " …[cut]"
_READ_BEYOND_CHARACTERS = 64 * 1024

# Ends of names, without case and punctuation, whose value is a secret: DB_PASSWORD, clientSecret, X-Amz-Security-Token.
_SECRET_NAMES = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "secretkey", "secretaccesskey", "clientsecret"),
    *("apikey", "accesskey", "accountkey", "privatekey", "signingkey", "encryptionkey", "sharedkey", "masterkey"),
    *("token", "authorization"),
)
# Likewise, but only where "=" follows: in prose a colon after such a word explains it.
_SECRET_PARAMETERS = ("signature", "credential", "sig", "pass")
# How names of both kinds end, so that most words are passed over at once.
_ENDS = (
    "(?:(?<=word)|(?<=wd)|(?<=phrase)|(?<=passcode)|(?<=secret)|(?<=key)|(?<=token)|(?<=ization)"
    "|(?<=signature)|(?<=credential)|(?<=sig)|(?<=pass))"
)
# Tokens that open nothing: they say where a listing goes on, or that two requests are the same one.
_OPEN_TOKENS = ("nexttoken", "continuationtoken", "pagetoken", "requesttoken", "idempotencytoken")
_SECRET_TOKENS = ("accesstokens", "refreshtokens", "authtokens", "apitokens", "bearertokens", "sessiontokens")
# "unexpected token: FROM" is a parser's word, and the one that helps.
_OF_A_PARSER = (
    *("expected", "unrecognized", "unrecognised", "unknown", "illegal"),
    *("near", "mismatched", "extraneous", "offending"),
)
# A column of this name is compared with a value that opens nothing.
_OF_A_CONDITION = (" where", " and", " or", " on", " having", "(")
_LONGEST_OF_A_PARSER = 20
# What a schema or a signature says of a field with a secret's name; nobody is kept out by such a password.
_SAYS_NOTHING = frozenset(
    (
        *("none", "null", "nil", "true", "false", "any", "optional", "required", "missing", "empty", "bytes", "binary"),
        *("str", "string", "text", "varchar", "int", "integer", "number", "float", "double", "decimal", "bool"),
        *("boolean", "date", "datetime", "timestamp", "time", "uuid", "json", "object", "array", "list"),
    )
)
# How it begins to be explained what is wrong with a field; only where more words follow, and only after a colon.
_EXPLAINS = frozenset(
    (
        *("a", "an", "the", "this", "is", "was", "it", "must", "should", "can", "cannot", "may", "not", "no", "got"),
        *("column", "field", "value", "key", "name", "input", "type", "length", "expected", "invalid", "unexpected"),
        *("unknown", "missing", "wrong", "too", "required", "argument", "parameter", "extra"),
    )
)
_SCHEMES = frozenset(("bearer", "basic", "digest", "negotiate"))
_CLOSING = ",;.)]}\"'\\"


class _Patterns(NamedTuple):
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
    arn: re.Pattern[str]
    host: re.Pattern[str]
    account: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Compiled when the first text comes: most processes of a function never have one."""
    return _Patterns(
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
            rf"(?<![\w.-])(?:(?P<option>--[\w.-]++){_ENDS}[ \t]++(?=[^\s-])"
            # PASSWORD 'x' and IDENTIFIED BY 'x' of SQL, quoted; without quotes where a user is created.
            r"|(?P<sql>(?:password|identified\s++(?:with\s++\S++\s++)?+by(?:\s++(?:password|values))?+)\s++(?=\\*+[\"'])"
            r"|(?:create|alter)\s++user\s++\S++\s++identified\s++by\s++(?=[^\s\"']))"
            rf"|(?P<name>[\w.-]++){_ENDS}(?P<gap>\\*+[\"']?[ \t]*+(?:=>|:=|==?|:|%3[AD])[ \t]*+))",
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
        arn=re.compile(r"(arn:aws[a-z-]*+:[a-z0-9-]*+:)[^\s\"'<>`,;)\]}]++"),
        host=re.compile(
            r"(?<![\w.-])[\w-][\w.-]*+(?:(?<=(\.amazonaws\.com))|(?<=(\.amazonaws\.com\.cn)))(?:[/:?][^\s\"'<>`]*+)?"
        ),
        account=re.compile(r"(account(?:[ _-]?id)?[\"']?[ \t]*+[:=#]?[ \t]*+[\"']?)\d{12}(?!\d)", re.IGNORECASE),
    )


def redact(text: str) -> str:
    """``text`` with *** for every secret that looks like one; redacting the result again changes nothing.

    Passwords in URLs and before an @, values of names such as DB_PASSWORD, access_token, Authorization and
    X-Amz-Signature (as name=value, name: value, JSON and headers), key ids and session tokens of AWS, JWTs, private
    keys. The words themselves stay: "token budget", a column named password, "password: string".
    """
    patterns = _patterns()
    if "PRIVATE KEY" in text:
        text = patterns.private_key.sub(rf"\1{MASK}", text)
    text = patterns.scheme.sub(_without_credentials, text)
    text = patterns.known.sub(MASK, text)
    # Before the values, since a password may hold what looks like one; and after them, where words have grown together.
    text = _without_userinfos(text)
    return _without_userinfos(_without_values(text))


def names_a_secret(name: str) -> bool:
    """Whether a value under this name is taken for a secret wherever it stands: DB_PASSWORD, dbpassword, apiKeys."""
    plain = _plain(name)
    if plain.endswith((*_OPEN_TOKENS, "tokens")):
        # Several tokens are mostly counted: max_tokens.
        return plain.endswith(_SECRET_TOKENS)
    return plain.removesuffix("s").endswith(_SECRET_NAMES) or plain.endswith(_SECRET_NAMES)


def redacted_and_cut(text: str, max_chars: int) -> str:
    """Redacted first, so that no cut leaves half a secret that no pattern knows any more; then at most ``max_chars``
    characters, followed by a mark if there were more.

    Of a text far longer than that, the end is not even read: it is dropped at a blank, where no secret is cut in two
    that is known by what follows.
    """
    read = max_chars + _READ_BEYOND_CHARACTERS
    is_cut = len(text) > read
    if is_cut:
        whole, *last = text[:read].rsplit(None, 1)
        text = whole if last else MASK
    text = redact(text)
    return text[:max_chars] + CUT_MARK if is_cut or len(text) > max_chars else text


def without_internal_names(text: str) -> str:
    """``text`` without what the account calls its things: ARNs, buckets, AWS hosts, account ids, keys of workspaces.

    For the text of an exception that nobody wrote for a reader outside; a log keeps these names, its reader needs them.
    """
    patterns = _patterns()
    text = patterns.arn.sub(rf"\1{MASK}", text)
    text = patterns.host.sub(_without_host, text)
    text = patterns.account.sub(rf"\1{MASK}", text)
    return patterns.word.sub(_without_key, text)


def _without_host(found: re.Match[str]) -> str:
    return MASK + (found[1] or found[2])


def _without_key(found: re.Match[str]) -> str:
    word = found[0]
    start = word.lower().find("s3://")
    if start >= 0:
        return word[: start + len("s3://")] + MASK
    in_workspace = any(f"/{segment}/" in word for segment in (CONVERSATIONS_SEGMENT, RUNS_SEGMENT))
    in_folder = any(f"/{folder}/" in word for folder in ("datasets", "docs"))
    return MASK if f"{DERIVED_PREFIX}/" in word or (in_workspace and in_folder) else word


def _without_userinfos(text: str) -> str:
    if "@" not in text:
        return text
    patterns = _patterns()
    if "://" in text:
        text = patterns.authority.sub(_without_userinfo, text)
    return patterns.word.sub(_without_userinfo, text)


def _without_userinfo(found: re.Match[str]) -> str:
    word = found[0]
    end = word.rfind("@")
    if end < 1:
        return word
    start = word.find("://")
    if 0 <= start < end:
        return _without_userinfo_of_url(word, start + len("://"), end)
    # A label before an address is nobody's name.
    user = _patterns().user.search(word, 0, end)
    if user is None and (slash := word.find("/", 1, end)) > 0 and _patterns().address.match(word, end):
        return word[: slash + 1] + MASK + word[end:] if slash + 1 < end else word
    if _patterns().clock.match(word):
        return word
    if user is None or user.end() == end or word[: user.end()].lower().endswith(("mailto:", "arn:")):
        return word
    return word[: user.end()] + MASK + word[end:]


def _without_userinfo_of_url(word: str, start: int, end: int) -> str:
    """A password may hold "/" and "@", so it ends at the last "@"; where no colon is, there is only a user."""
    if ":" not in word[start:end]:
        path = min((place for mark in "/?#" if (place := word.find(mark, start)) >= 0), default=len(word))
        end = word.rfind("@", start, path)
    return word if end <= start else word[:start] + MASK + word[end:]


def _without_values(text: str) -> str:
    patterns = _patterns()
    parts, done, position = [], 0, 0
    while found := patterns.named.search(text, position):
        value = patterns.value.match(text, found.end()) if _is_secret(found, done) else None
        if value is None or _explains(found, value):
            # What is no value of a secret may hold the name of one.
            position = found.end("option" if found["option"] else "sql" if found["sql"] else "name")
            continue
        parts += [text[done : found.end()], _masked(found, value)]
        position = done = value.end()
    return "".join([*parts, text[done:]])


def _explains(found: re.Match[str], value: re.Match[str]) -> bool:
    """``password: column not found`` and ``token: expected str, got int`` are sentences."""
    bare = value["bare"]
    if bare is None or value["scheme"] or (found["gap"] or "").strip() != ":":
        return False
    return bare.lower() in _EXPLAINS and _patterns().sentence.match(value.string, value.end()) is not None


def _masked(found: re.Match[str], value: re.Match[str]) -> str:
    opening = value["open"] or value["escaped_open"] or value["open_brace"] or value["open_list"] or ""
    held = value[value.lastgroup or "bare"]
    inside = held if opening else held.rstrip(_CLOSING) or held
    says_nothing = not inside.strip() or inside.lower() in _SAYS_NOTHING
    if inside.lower() in _SCHEMES:
        # Of a header that is described; the value of one that was sent comes behind it.
        says_nothing = _plain(found["name"] or "").endswith("authorization")
    return value["scheme"] + opening + (inside if says_nothing else MASK) + held[len(inside) :]


def _is_secret(found: re.Match[str], done: int) -> bool:
    """``done``: where the text begins that no value was taken from."""
    if found["sql"]:
        return True
    name = (found["option"] or found["name"]).lower()
    plain = _plain(name)
    if plain.endswith(_OPEN_TOKENS) or (plain == "token" and _follows(found, done, _OF_A_PARSER)):
        return False
    if plain.endswith(_SECRET_NAMES):
        return True
    if plain == "signature" and _follows(found, done, _OF_A_CONDITION):
        return False
    gap = found["gap"] or ""
    is_parameter = "=" in gap or "%3d" in gap.lower() or "x-amz-" in name
    return is_parameter and re.split(r"[._-]", name)[-1] in _SECRET_PARAMETERS


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _follows(found: re.Match[str], done: int, words: tuple[str, ...]) -> bool:
    before = found.string[max(done, found.start() - _LONGEST_OF_A_PARSER) : found.start()]
    return before.lower().rstrip().endswith(words)


def _without_credentials(found: re.Match[str]) -> str:
    """A word of small letters after "basic" or "bearer" is a word of the sentence."""
    scheme, gap, value = found.groups()
    return found[0] if value.isalpha() and value.islower() else f"{scheme}{gap}{MASK}"
