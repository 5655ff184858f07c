"""Every number that bounds the service: its name, its unit and its reason. docs/limits.md is checked against it."""

from __future__ import annotations

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

# --- identity -----------------------------------------------------------------------------------------
# Characters of an id (owner, conversation, run, node): two of them and a file name fit an S3 key of 1,024.
ID_CHARACTERS_MAX = 128
# Seconds a session's token lives: one sandbox execution; Lambda-driven nodes end within the hour.
SESSION_SECONDS_DEFAULT = 3_600
# Shorter than this a token would run out inside one call's retries.
SESSION_SECONDS_MIN = 60
# A token can not be taken back before it expires, so it does not outlive a working day.
SESSION_SECONDS_MAX = 12 * 3_600
# Seconds that one call of any verb may run: what Lambda gives a function at the most.
CALL_SECONDS_MAX = 900
# Seconds by which two machines' clocks may differ before a token is refused.
CLOCK_LEEWAY_SECONDS = 5

# --- what a caller may write ----------------------------------------------------------------------------
# A label of one line, cheap in every listing that a model reads.
NAME_CHARACTERS_MAX = 200
# A paragraph: what a later session needs to choose the artifact.
DESCRIPTION_CHARACTERS_MAX = 2_000
# Ids an artifact may say it was made from; a join of more tables than this is described in words.
LINEAGE_MAX = 50
# A UUID or a step's name and attempt.
REQUEST_TOKEN_CHARACTERS_MAX = 128
# What file systems take for one name, so that every artifact can be loaded under its own.
FILE_NAME_BYTES_MAX = 255
# S3's own limit on a key, in bytes of UTF-8.
KEY_BYTES_MAX = 1_024

# --- uploads (bounds of the S3 API) -----------------------------------------------------------------------
# One PUT up to here; above it parts, so that a broken connection costs one part and not the file.
SINGLE_UPLOAD_BYTES_MAX = 16 * MIB
# Bytes of a part, as long as UPLOAD_PARTS_MAX of them hold the file.
UPLOAD_PART_BYTES = 16 * MIB
# S3 takes 10,000 parts; a thousand presigned URLs already make an answer of up to 3 MB.
UPLOAD_PARTS_MAX = 1_000
# S3's own limit on one part.
UPLOAD_PART_BYTES_MAX = 5 * GIB
# What one function run can read and hash within Lambda's 15 minutes, at 60 MB/s; S3 itself takes 5 TiB.
UPLOAD_BYTES_MAX = 50 * GIB
# One server-side CopyObject up to here, parts above: S3 is silent while it copies, and a large copy in one request
# outlasts the patience of any client.
COPY_BYTES_MAX = 256 * MIB
# Bytes of one part of such a copy: a second or two each.
COPY_PART_BYTES = 128 * MIB
# Seconds a presigned URL works: long enough to begin a transfer, short enough to be worthless in a log.
PRESIGNED_SECONDS = 900

# --- registration -----------------------------------------------------------------------------------------
# Bytes of a file that is profiled within the call that registers it: some four seconds at 15 MB/s, less than was
# measured of any text. A larger file answers at once with the status profiling, and is profiled off a queue.
PROFILED_AT_ONCE_BYTES_MAX = 64 * MIB
# Seconds that such a profile may take: a small file can stand for any number of rows. Beyond them it goes to the queue
# as well, and the caller is answered.
PROFILED_AT_ONCE_SECONDS_MAX = 20
# Tries of one profile: a crash may be the machine's fault, three crashes are the file's.
PROFILE_TRIES_MAX = 3
# Seconds until a try that failed for a passing reason is made again.
PROFILE_RETRY_SECONDS = 30
# Seconds without any progress after which a repeated registration asks for the profile anew: longer than the longest
# run of a function and the wait for the next try.
PROFILE_STALLED_SECONDS = 3_600
# Bytes of a file (and of its uncompressed text) that one function run lays out as pages: its disk of 10 GiB holds three
# times as much (a text may lie there as it was sent, unpacked or as UTF-8, and with its types decided), and 1 GiB is
# left over; at 15 MB/s it takes four of the fifteen minutes. A larger file still registers, lists and loads, and says
# that it does not page.
TABLE_BYTES_MAX = 3 * GIB
# Columns of a table that pages; wider ones are matrices, for which Parquet and JSON rows are the wrong form.
TABLE_COLUMNS_MAX = 10_000
# Bytes of JSON of a table's column names and types: every page carries them beside its rows.
TABLE_HEADER_BYTES_MAX = 1 * MIB
# Bytes of all rows of a Parquet file once decoded: encodings let a small file stand for any number of rows, and
# one function run can write a few times TABLE_BYTES_MAX again.
DECODED_BYTES_MAX = 12 * GIB
# Bytes of one row of a table that pages, once decoded: a page, a preview and a series hold a row as a whole.
ROW_BYTES_MAX = 64 * MIB
# Values on all levels inside the nested cells of one row: more take longer than a second and more memory than the
# page that they would be cut short for, and a few hundred bytes of Parquet stand for any number of them.
ROW_ITEMS_MAX = 1_000_000
# Cells of a table that JSON objects make, for each byte of the file: objects of two keys among a thousand have some
# fifty, and each cell costs its share of typing, statistics and disk, however empty it is.
SPARSE_CELLS_PER_BYTE = 50
# Cells below which a table of JSON objects may be as sparse as it likes: a few seconds' work.
SPARSE_CELLS_MIN = 10_000_000
# Rows and characters of a cell that a preview shows: enough to recognise the data, cheap in a context.
PREVIEW_ROWS = 5
# See PREVIEW_ROWS.
PREVIEW_CELL_CHARACTERS = 100
# Bytes of JSON a profile may take inside the record and inside a reply; the whole one is a derived object.
# A DynamoDB item may hold 400 KB, and a reply lands in a model's context.
RECORD_PROFILE_BYTES_MAX = 32 * KIB
# Bytes of JSON of the profile in the answer of describe_artifact.
DESCRIBE_PROFILE_BYTES_MAX = 2 * MIB
# Texts that mean no value, and their characters: NA, n/a, NULL, -, and a few more.
HINT_NULLS_MAX = 20
# See HINT_NULLS_MAX.
HINT_NULL_CHARACTERS_MAX = 40
# Bytes of JSON of the types that hints name: they lie in the record beside the profile, in what DynamoDB holds of one.
HINT_TYPES_BYTES_MAX = 128 * KIB
# Near names offered when a name is not found.
NEAR_NAMES_MAX = 3
# Keys looked at for near names: one page of one S3 listing.
NEAR_KEYS_SCANNED_MAX = 1_000

# --- endings ----------------------------------------------------------------------------------------------
# Seconds that one call of end_conversation or end_run removes before it answers how far it came: a client sees it
# move, and its function, which may run three times as long, never dies in the middle of a request.
ENDING_SECONDS_MAX = 20
# Pages that one such call removes: of records 25, of files and derived objects 1,000 each.
ENDING_PAGES_MAX = 1_000
# Open sessions that a refused ending names; a map of a thousand nodes is told by its number.
LEASES_TOLD_MAX = 3

# --- audits -----------------------------------------------------------------------------------------------
# Items of the table that one message of an audit looks at: some five requests each, a few seconds together.
AUDITED_RECORDS_OF_A_PAGE = 100
# Files that one message of an audit lists: their workspaces are asked for what is registered, one request or more each.
AUDITED_FILES_OF_A_PAGE = 500
# Seconds until a message that failed is tried again: what was busy has had time.
AUDIT_RETRY_SECONDS = 60
# Seconds after which a file that nobody registered is counted as one: an upload is registered minutes later at most.
UNREGISTERED_AFTER_SECONDS = 3_600

# --- listings ---------------------------------------------------------------------------------------------
# Artifacts of one listing: a screenful by default.
LIST_LIMIT_DEFAULT = 20
# A hundred summaries of the largest size, escaped, stay below a megabyte and a half.
LIST_LIMIT_MAX = 100
# Records looked at by one filtered listing call before it answers with what it has and a cursor.
LIST_SCANNED_MAX = 1_000

# --- pages ------------------------------------------------------------------------------------------------
# What Lambda can answer: 6 MiB and 100 bytes. Nothing here may come near it after JSON escaping.
LAMBDA_REPLY_BYTES_MAX = 6_291_556
# What a grid shows and keeps around its window.
PAGE_ROWS_DEFAULT = 100
# Rows of one page as JSON, for a client that copies a dataset page by page.
PAGE_ROWS_MAX = 10_000
# Cells that one call turns into JSON: about a second of one processor at the worst.
PAGE_CELLS_MAX = 200_000
# Bytes of a page's rows, as JSON, or as Arrow in base64.
PAGE_BYTES_DEFAULT = 1 * MIB
# With the header of a table of TABLE_COLUMNS_MAX columns still below LAMBDA_REPLY_BYTES_MAX.
PAGE_BYTES_MAX = 4 * MIB
# Rows of one page as Arrow, for a client that takes a dataset over in large pieces: its bytes end it first.
ARROW_PAGE_ROWS_MAX = 1_000_000
# Bytes of a page as Arrow once decoded: what repeats itself compresses to nothing, and a client holds several pages.
ARROW_PAGE_DECODED_BYTES_MAX = 64 * MIB
# Room for one clipped row, whatever the table.
PAGE_BYTES_MIN = 1 * KIB
# Beyond any dataset, and exact in the JSON of every language.
OFFSET_MAX = 10**15
# Characters kept of a cell when one row alone is larger than the page's budget.
CLIPPED_CELL_CHARACTERS = 200
# Distinct columns one page or one series may name.
PAGE_COLUMNS_MAX = 10_000
# Columns of one chart.
SERIES_COLUMNS_MAX = 20
# Values of one column across a wide screen: a thousand buckets, or two thousand rows.
SERIES_POINTS_DEFAULT = 2_000
# Four buckets, or what M4 keeps of two stretches, fewer of which are no chart.
SERIES_POINTS_MIN = 8
# Values of one column of a chart that is zoomed without asking again.
SERIES_POINTS_MAX = 20_000
# Values of all columns of a series together; more columns have fewer points each.
SERIES_CELLS_MAX = 100_000
# Rows of a series that are read in one call; a longer window, where the pyramid does not serve, is refused.
SERIES_ROWS_MAX = 50_000_000
# Values that LTTB and M4 choose among, held at once: some 160 MB with the axis.
SERIES_CHOSEN_VALUES_MAX = 10_000_000
