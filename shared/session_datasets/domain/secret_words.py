"""The words by which a secret is known: the names that it stands under, and those that say that it is none."""

from __future__ import annotations

# Ends of names, without case and punctuation, whose value is a secret: DB_PASSWORD, clientSecret, X-Amz-Security-Token.
SECRET_NAMES = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "secret", "secretkey", "secretaccesskey", "clientsecret"),
    *("apikey", "accesskey", "accountkey", "privatekey", "signingkey", "encryptionkey", "sharedkey", "masterkey"),
    *("token", "authorization"),
)
# Likewise, but only where "=" follows: in prose a colon after such a word explains it.
SECRET_PARAMETERS = ("signature", "credential", "sig", "pass")
# How names of both kinds end, so that most words are passed over at once.
ENDS = (
    "(?:(?<=word)|(?<=wd)|(?<=phrase)|(?<=passcode)|(?<=secret)|(?<=key)|(?<=token)|(?<=ization)"
    "|(?<=signature)|(?<=credential)|(?<=sig)|(?<=pass))"
)
# Tokens that open nothing: they say where a listing goes on, or that two requests are the same one.
OPEN_TOKENS = ("nexttoken", "continuationtoken", "pagetoken", "requesttoken", "idempotencytoken")
SECRET_TOKENS = ("accesstokens", "refreshtokens", "authtokens", "apitokens", "bearertokens", "sessiontokens")
# "unexpected token: FROM" is a parser's word, and the one that helps.
OF_A_PARSER = (
    *("expected", "unrecognized", "unrecognised", "unknown", "illegal"),
    *("near", "mismatched", "extraneous", "offending"),
)
# A column of this name is compared with a value that opens nothing.
OF_A_CONDITION = (" where", " and", " or", " on", " having", "(")
LONGEST_OF_A_PARSER = 20
# What a schema or a signature says of a field with a secret's name; nobody is kept out by such a password.
SAYS_NOTHING = frozenset(
    (
        *("none", "null", "nil", "true", "false", "any", "optional", "required", "missing", "empty", "bytes", "binary"),
        *("str", "string", "text", "varchar", "int", "integer", "number", "float", "double", "decimal", "bool"),
        *("boolean", "date", "datetime", "timestamp", "time", "uuid", "json", "object", "array", "list"),
    )
)
# How it begins to be explained what is wrong with a field; only where more words follow, and only after a colon.
EXPLAINS = frozenset(
    (
        *("a", "an", "the", "this", "is", "was", "it", "must", "should", "can", "cannot", "may", "not", "no", "got"),
        *("column", "field", "value", "key", "name", "input", "type", "length", "expected", "invalid", "unexpected"),
        *("unknown", "missing", "wrong", "too", "required", "argument", "parameter", "extra"),
    )
)
SCHEMES = frozenset(("bearer", "basic", "digest", "negotiate"))


def names_a_secret(name: str) -> bool:
    """Whether a value under this name is taken for a secret wherever it stands: DB_PASSWORD, dbpassword, apiKeys."""
    plain = plain_name(name)
    if plain.endswith((*OPEN_TOKENS, "tokens")):
        # Several tokens are mostly counted: max_tokens.
        return plain.endswith(SECRET_TOKENS)
    return plain.removesuffix("s").endswith(SECRET_NAMES) or plain.endswith(SECRET_NAMES)


def plain_name(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
