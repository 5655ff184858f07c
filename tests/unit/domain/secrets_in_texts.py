"""Texts with secrets in them, and the same without."""

from __future__ import annotations

from hypothesis import strategies as st

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY21lIn0.c2lnbmF0dXJl"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n7bq9==\n-----END RSA PRIVATE KEY-----"

# text -> the same without its secret
SECRETS = {
    "password in a URL": ("postgres://ana:hunter2@db:5432/x", "postgres://***@db:5432/x"),
    "password with a slash in a URL": ("mysql://ana:hun/ter2@db/x", "mysql://***@db/x"),
    "password with an @ in a URL": ("mysql://u:p@ss/w@host/db", "mysql://***@host/db"),
    "password with a question mark in a URL": ("mysql://u:hun?ter#2@host/db", "mysql://***@host/db"),
    "token as the user of a URL": ("https://hunter2@host/a?b=c@d", "https://***@host/a?b=c@d"),
    "user and password without a scheme": ("connect to ana:hunter2@db now", "connect to ana:***@db now"),
    "password with @ and / without a scheme": ("ana:p@ss/w@db", "ana:***@db"),
    "bearer": ("Authorization: Bearer hunter2.x", "Authorization: Bearer ***"),
    "basic": ("authorization: basic YW5hOmh1bnRlcjI=", "authorization: basic ***"),
    "authorization in JSON": ('{"Authorization": "Bearer hunter2"}', '{"Authorization": "***"}'),
    "authorization in a list of headers": (
        "[('Authorization', 'Bearer hunter2')]",
        "[('Authorization', '***')]",
    ),
    "bearer without its header": ("sent Bearer hunter2-7 twice", "sent Bearer *** twice"),
    "key id": ("user AKIAIOSFODNN7EXAMPLE said", "user *** said"),
    "key id of a session": ("user ASIAIOSFODNN7EXAMPLE said", "user *** said"),
    "secret key": (f"aws_secret_access_key={SECRET_KEY}", "aws_secret_access_key=***"),
    "secret key of a file": (f"aws_secret_access_key = {SECRET_KEY}\n", "aws_secret_access_key = ***\n"),
    "DB_PASSWORD": ("DB_PASSWORD=hunter2 python", "DB_PASSWORD=*** python"),
    "PGPASSWORD": ("PGPASSWORD=hunter2 psql", "PGPASSWORD=*** psql"),
    "access_token": ("access_token=hunter2&limit=5", "access_token=***&limit=5"),
    "session_token": ("session_token: hunter2", "session_token: ***"),
    "JSON": ('{"password": "hunter2", "user": "ana"}', '{"password": "***", "user": "ana"}'),
    "JSON with a quote": (r'{"password": "hun\"ter2", "a": 1}', '{"password": "***", "a": 1}'),
    "JSON in JSON": (r"{\"password\": \"hun\\\"ter2\", \"a\": 1}", r"{\"password\": \"***\", \"a\": 1}"),
    "JSON in an object named secret": ('{"secret": {"password": "hunter2"}}', '{"secret": {"password": "***"}}'),
    "Python": ("{'password': 'hunter2', 'user': 'ana'}", "{'password': '***', 'user': 'ana'}"),
    "camel case": ('{"clientSecret":"hunter2","a":1}', '{"clientSecret":"***","a":1}'),
    "SQL": ("WHERE password = 'hunter2' AND id = 7", "WHERE password = '***' AND id = 7"),
    "ODBC": ("PWD={hun;ter2};Database=x", "PWD={***};Database=x"),
    "command line": ("tool --password hunter2 --verbose", "tool --password *** --verbose"),
    "call": ("connect(user=ana, password=hunter2)", "connect(user=ana, password=***)"),
    "special characters": ("password=hun&ter,2;x rest", "password=*** rest"),
    "nested in a text": ("dsn='host=db password=hunter2'", "dsn='host=db password=***'"),
    "X-Amz-Signature": ("https://h/k?X-Amz-Signature=0a1b&x=1", "https://h/k?X-Amz-Signature=***&x=1"),
    "X-Amz-Credential": ("https://h/k?X-Amz-Credential=ana%2F2026&x=1", "https://h/k?X-Amz-Credential=***&x=1"),
    "X-Amz-Security-Token": (
        "https://h/k?X-Amz-Security-Token=IQoJ%2F&x=1",
        "https://h/k?X-Amz-Security-Token=***&x=1",
    ),
    "header of AWS": ("x-amz-security-token: IQoJb3JpZ2luX2VjEA", "x-amz-security-token: ***"),
    "quoted URL": ("next=%3FX-Amz-Signature%3D0a1b2c", "next=%3FX-Amz-Signature%3D***"),
    "signature of a header": ("AWS4-HMAC-SHA256 Credential=ana/x, Signature=0a1b", None),
    "session token of AWS": ("got IQoJb3JpZ2luX2VjEAAaCXVzLWVhc3QtMSJI then", "got *** then"),
    "our access token": (f"sent {JWT} twice", "sent *** twice"),
    "our access token as a field": (f'{{"token": "{JWT}", "v": 1}}', '{"token": "***", "v": 1}'),
    "private key": (f"read {PRIVATE_KEY} there", None),
    "private key in JSON": ("-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----", None),
    "private key cut off": ("-----BEGIN EC PRIVATE KEY-----\nMIIEpAIBAAKCAQEA", "-----BEGIN EC PRIVATE KEY-----***"),
    "key of a service": ("use ghp_0123456789abcdefghij0123456789abcdef now", "use *** now"),
    "passcode": ("passcode=hunter2 x", "passcode=*** x"),
    "key of a storage account": (
        "AccountName=a;AccountKey=hunter2/abc==;EndpointSuffix=x",
        "AccountName=a;AccountKey=***;EndpointSuffix=x",
    ),
    "key of encryption": ("encryption_key=hunter2", "encryption_key=***"),
    "role of SQL": ("CREATE ROLE x WITH PASSWORD 'hunter2';", "CREATE ROLE x WITH PASSWORD '***';"),
    "role of SQL in JSON": (
        r"{\"q\": \"ALTER USER x PASSWORD 'hunter2'\"}",
        r"{\"q\": \"ALTER USER x PASSWORD '***'\"}",
    ),
    "user of SQL": ("CREATE USER x IDENTIFIED BY 'hunter2'", "CREATE USER x IDENTIFIED BY '***'"),
    "user of SQL over lines": ("create user x\nidentified by\n  'hunter2'", "create user x\nidentified by\n  '***'"),
    "user of SQL with a plugin": (
        "CREATE USER x IDENTIFIED WITH caching_sha2 BY 'hunter2'",
        "CREATE USER x IDENTIFIED WITH caching_sha2 BY '***'",
    ),
    "user of SQL without quotes": ("ALTER USER x IDENTIFIED BY hunter2;", "ALTER USER x IDENTIFIED BY ***;"),
    "user and password of Oracle": ("scott/hunter2@dbhost:1521/orcl", "scott/***@dbhost:1521/orcl"),
    "user and password of Oracle with //": ("sqlplus scott/hunter2@//dbhost/orcl", "sqlplus scott/***@//dbhost/orcl"),
    **{
        f"password with {mark} in a URL": (f"see postgres://ana:hun{mark}ter2@db/x.", "see postgres://***@db/x.")
        for mark in ("<", ">", "`", '"', "'", "<>", '"<')
    },
    "password with a doubled quote": ("password='a''hunter2' AND id=7", "password='***' AND id=7"),
    "password with a doubled double quote": ('password="a""hunter2" id=7', 'password="***" id=7'),
    "ODBC with a doubled brace": ("PWD={a}}hunter2};Database=x", "PWD={***};Database=x"),
    "ODBC with another bracket": ("PWD={a)b]hunter2};Database=x", "PWD={***};Database=x"),
    "key of a model": ("use sk-ant-api03-0123456789abcdefghij now", "use *** now"),
}
# A literal behind =, a blank or a bracket, however its language writes one; names in the plural; what is beside a name.
HIDING = "hunter2"
SURROUNDED = [
    *("CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET '{}')", "SECRET_ACCESS_KEY '{}'", "SESSION_TOKEN '{}'"),
    *(
        "PASSWORD E'{}'",
        "PASSWORD N'{}'",
        "PASSWORD $${}$$",
        "PASSWORD $q${}$q$",
        "SET PASSWORD FOR x = PASSWORD('{}')",
    ),
    *("SET PASSWORD FOR 'ana'@'h' = '{}'", "GRANT ALL ON d.* TO ana IDENTIFIED BY {}", "SecretStr('{}')"),
    *(
        "CONNECT TO ana IDENTIFIED BY {} USING 'x'",
        "grant select on t to ana identified by {};",
        "token '{}' is not valid",
    ),
    *("password=b'{}'", 'password = f"{}"', "password != '{}'", "password <> '{}'", "password IN ('{}')"),
    *("password NOT IN ('{}')", "password LIKE '{}'", "PASSWORD={}", "openai_key={}", "ssh_key: {}", "session_key: {}"),
    *('{"password": {"value": "{}"}}', '{"password": {"S": "{}"}}', '{"credentials": {"user": "{}"}}'),
    *("{'password': {'type': 'string', 'default': '{}'}}", r"{\"password\": {\"value\": \"{}\"}}"),
    *("password:\n  {}\n", "password: |\n  {}\nuser: ana", "a:\n  password: >-\n    {}\n  user: ana"),
    *("passwords:\n  - {}\nuser: x", '"password":\n  "{}"', "- name: DB_PASSWORD\n  value: {}\n"),
    *('{"db_pass": "{}"}', "db_pass: {}", "smtp_pass: {}", '{"pass": "{}"}', "Cookie: {}", "X-Auth-Key: {}"),
    *("{'Cookie': '{}'}", "Ocp-Apim-Subscription-Key: {}", "Authorization: Custom {}", "API key: {}"),
    *("<password>{}</password>", '<db:Password type="x">{}</db:Password>', "%22password%22%3A%22{}%22"),
    *("curl -u user:{} https://h", "curl -s --user 'user:{}' https://h", "sqlplus scott/{}@orcl"),
    *("connect('scott/{}@orcl')", "https://hooks.slack.com/services/{}", "https://discord.com/api/webhooks/{}"),
    *("password: Optional[str] = '{}'", "password: str = '{}'", 'def f(password: Union[str, None] = "{}")'),
    *('{"passwords": ["{}"]}', "apiKeys={}", '{"secrets": "{}"}', "credentials={}", '{"access_tokens": ["{}"]}'),
    *('{"connection_string": "{}"}', "env['DB_PASSWORD']='{}'", 'os.environ["TOKEN"] = "{}"', "user[password]={}"),
    *('{"name": "DB_PASSWORD", "value": "{}"}', '{"ParameterKey": "DbPassword", "ParameterValue": "{}"}'),
    *('<add key="DbPassword" value="{}"/>', "Name=DB_PASSWORD,Value={}", "('password', '{}')"),
    *("(b'x-api-key', b'{}')", "[('a', 'b'), ('password', '{}')]", 'os.getenv("DB_PASSWORD", "{}")'),
    *('["x-api-key", "{}"]', '{"password": [["{}"], 1]}', "password=['{}', 2]"),
]
# text -> the same without its secret: what went on behind the end of a line, a bracket or a first pair.
GOING_ON = {
    'password="a\nhunter2" x': 'password="***" x',
    "password=['a]b', 'hunter2'] x": "password=['***', '***'] x",
    'password=(1,"x)hunter2") x': "password=(***) x",
    '{"password": [["a"], "hunter2"], "a": 1}': '{"password": [["***"], "***"], "a": 1}',
    "Set-Cookie: sid=hunter2; Path=/": "Set-Cookie: ***",
    "cookie: a=b; session=hunter2": "cookie: ***",
    "password: |\n  a\n  hunter2\nuser: ana": "password: |\n  ***\nuser: ana",
    "passwords:\n  - a\n  - hunter2\nuser: ana": "passwords:\n  - ***\n  - ***\nuser: ana",
    "PASSWORD=$(echo hunter2) x": "PASSWORD=*** x",
    "password=b'a hunter2' x": "password=b'***' x",
    "password IN ('a', 'hunter2') x": "password IN ('***', '***') x",
}
MARKED = [
    *("shpat_0123456789abcdef0123456789abcdef", "pypi-AgEIcHlwaS5vcmcCJDAxMjM", "dckr_pat_0123456789abcdefghij"),
    *("dop_v1_0123456789abcdef0123456789abcdef", "whsec_0123456789abcdefghij", "xapp-1-A0123456789-0123456789"),
    *("lin_api_0123456789abcdefghij", "123456789:AA0123456789abcdefghij0123456789abc", "lsv2_pt_0123456789abcdef0123"),
    *("gsk_0123456789abcdefghij", "glsa_0123456789abcdefghij", "NRAK-0123456789ABCDEFGHIJ"),
    *("dapi0123456789abcdef0123456789abcdef", "ya29.a0AfH6SMB_0123456789", "GOCSPX-0123456789abcdefghij"),
    *("hf_0123456789abcdefghijABCDEFGHIJ", "glpat-0123456789abcdefghij", "sk_live_0123456789abcdef"),
    *("rk_test_0123456789abcdef", "npm_0123456789abcdefghijABCDEFGHIJ012345", "hvs.CAESI0123456789abcdef"),
    *("SG.0123456789abcdefghij.0123456789abcdefghij", "ghp_0123456789abcdefghij0123456789abcdef"),
]
HIDDEN = ("hunter2", "ter2", "p@ss", "ss/w", "0a1b", "IQoJ", "AKIA", "ASIA", "wJalr", "YW5h", "MIIE", "eyJ", "ana%2F")

# What texts are put together from: beginnings and ends of secrets and of what is none.
PIECES = st.sampled_from(
    [
        *("password", "token", "Authorization", "X-Amz-Signature", "secret", "pass", "--token", "sig", "signature"),
        *("<", ">", "`", "identified by ", "password '", "''", '""', "}}", "={", "create user x identified by "),
        *("scott/", "@h:1521", "12:30@", " where ", "near ", "expected ", "column ", *MARKED[:3], "SG."),
        *("=", ":", "%3D", "=>", " ", "\n", "\t", '"', "'", "\\", "&", ";", ",", "@", "://", "/", "?", "{", "}", "["),
        *("]", "(", ")", "***", "-", ".", "u:p@h", "Bearer ", "Basic ", "AKIAIOSFODNN7EXAMPLE", JWT, "eyJ", "none"),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "x", "unexpected ", "mailto:", "arn:aws:s3:::b"),
        *(
            "passwords",
            "api key",
            "cookie",
            "db_pass",
            "credentials",
            "SECRET",
            "session_key",
            "E'",
            "$$",
            "$q$",
            "%22",
        ),
        *("!=", " in (", " like '", "value", ', "', "])", "  - ", "|\n  ", "curl -u a:", "<password>", "Optional[str]"),
        *("name", "$(", "type", "default", "a7b", "sqlplus ", "a=b; ", "hooks.slack.com/services/", "create "),
        *("acme/conversations/a/datasets/b", "b.s3.amazonaws.com", "account 123456789012", "s3://b/k"),
    ]
)
