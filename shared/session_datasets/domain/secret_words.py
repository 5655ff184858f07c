"""The words by which a secret is known: the names that it stands under, and those that say that it is none."""

from __future__ import annotations

# Ends of names, without case and punctuation, whose value is a secret: DB_PASSWORD, clientSecret, X-Amz-Security-Token.
SECRET_NAMES = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "secretkey", "secretaccesskey", "clientsecret"),
    *("apikey", "accesskey", "accountkey", "privatekey", "signingkey", "encryptionkey", "sharedkey", "masterkey"),
    *("authkey", "subscriptionkey", "functionskey", "storagekey", "servicekey", "webhookkey", "hmackey", "jwtkey"),
    *("decryptionkey", "openaikey", "anthropickey", "geminikey", "mistralkey", "coherekey", "groqkey", "stripekey"),
    *("sendgridkey", "langsmithkey", "tavilykey", "sshkey", "rsakey", "aeskey", "fernetkey"),
    *("token", "authorization", "connectionstring", "secretstr"),
)
# Likewise of those that also stand in tables and in prose: where "=" or quotes say that a value follows, or it looks
# like none of these words.
LIKELY_NAMES = ("credential", "cookie", "sessionkey", "clientkey", "appkey")
# Likewise, but only where "=" follows: in prose a colon after such a word explains it.
SECRET_PARAMETERS = ("signature", "credential", "sig", "pass")
# The word before "pass" of a password that is called so.
_WHOSE_PASS = (
    *("db", "database", "user", "my", "mysql", "pg", "sql", "smtp", "mail", "email", "ftp", "admin", "root", "ssh"),
    *("ldap", "proxy", "redis", "mongo", "rabbitmq", "http", "auth", "key", "keystore", "login"),
)
# How names of all kinds end, so that most words are passed over at once: the last letters, and those before an "s".
_LAST = "rd|wd|se|de|et|ey|en|on|ng|tr|re|al|ie|ig"
ENDS = f"(?:(?<={_LAST}|ss)|(?<={_LAST.replace('|', 's|')}s))"
# Tokens that open nothing: they say where a listing goes on, or that two requests are the same one.
OPEN_TOKENS = ("nexttoken", "continuationtoken", "pagetoken", "requesttoken", "idempotencytoken")
SECRET_TOKENS = ("accesstokens", "refreshtokens", "authtokens", "apitokens", "bearertokens", "sessiontokens")
# "unexpected token: FROM" is a parser's word, and the one that helps.
OF_A_PARSER = (
    *("expected", "unexpected", "unrecognized", "unrecognised", "unknown", "illegal"),
    *("near", "mismatched", "extraneous", "offending"),
)
# A column of this name is compared with a value that opens nothing.
OF_A_CONDITION = ("where", "and", "or", "on", "having", "(")
# What CREATE SECRET "name" does with it.
OF_A_STATEMENT = ("create", "drop", "replace", "exists", "alter", "describe")
LONGEST_BEFORE = 20
# Whose argument is where the secret is kept.
LOOKS_UP = ("get", "find", "fetch", "read", "load", "has", "list", "delete", "create")
# What a schema or a signature says of a field with a secret's name; nobody is kept out by such a password.
SAYS_NOTHING = frozenset(
    (
        *("none", "null", "nil", "true", "false", "any", "optional", "required", "missing", "empty", "bytes", "binary"),
        *("str", "string", "text", "varchar", "int", "integer", "number", "float", "double", "decimal", "bool"),
        *("boolean", "date", "datetime", "timestamp", "time", "uuid", "json", "object", "array", "list"),
        *("union", "annotated", "literal", "secretstr", "secretbytes", "dict", "tuple", "set", "sequence", "mapping"),
        *("utf8", "large_string", "large_utf8", "int64", "int32", "float64", "category", "typing", "pydantic", "..."),
        *("…", "{}", "?", "%s", "redacted", "[redacted]"),
    )
)
# How it begins to be explained what is wrong with a field; only where more words follow, and only after a colon.
EXPLAINS = frozenset(
    (
        *("a", "an", "the", "this", "is", "was", "it", "must", "should", "can", "cannot", "may", "not", "no", "got"),
        *("column", "field", "value", "key", "name", "input", "type", "length", "expected", "invalid", "unexpected"),
        *("unknown", "missing", "wrong", "too", "required", "argument", "parameter", "extra", "header", "see"),
    )
)
SCHEMES = frozenset(("bearer", "basic", "digest", "negotiate"))
# Keys by which an object says what a field is like, and those under which even such an object holds what is in it.
DESCRIBES = frozenset(("type", "dtype", "$ref", "description", "title", "anyof", "oneof", "allof", "format"))
HOLDS = frozenset(("value", "default", "example", "examples", "input", "plaintext", "data", "content", "const"))


def names_a_secret(name: str) -> bool:
    """Whether a value under this name is taken for a secret wherever it stands: DB_PASSWORD, dbpassword, apiKeys."""
    plain = plain_name(name)
    if plain.endswith((*OPEN_TOKENS, "tokens")):
        # Several tokens are mostly counted: max_tokens.
        return plain.endswith(SECRET_TOKENS)
    return plain.removesuffix("s").endswith(SECRET_NAMES) or plain.endswith(SECRET_NAMES)


def likely_names_a_secret(name: str) -> bool:
    """session_key, credentials, Set-Cookie, db_pass: those that also stand in tables and in prose."""
    plain = plain_name(name)
    return plain.endswith(tuple(f"{whose}pass" for whose in _WHOSE_PASS)) or plain.removesuffix("s").endswith(
        LIKELY_NAMES
    )


def plain_name(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
