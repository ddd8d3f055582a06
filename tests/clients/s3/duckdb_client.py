"""Writes a table as Parquet into a bucket, and reads a part of it there, by DuckDB."""

import os
from urllib.parse import urlsplit

import duckdb
import duckdb_ext

endpoint = urlsplit(os.environ["AWS_ENDPOINT_URL_S3"])
database = duckdb.connect()
database.execute(f"SET extension_directory = '{list(duckdb_ext.__path__)[0]}/extensions'")
database.execute("LOAD httpfs")
database.execute(
    f"""CREATE SECRET (TYPE s3, KEY_ID '{os.environ["AWS_ACCESS_KEY_ID"]}',
        SECRET '{os.environ["AWS_SECRET_ACCESS_KEY"]}', REGION 'us-east-1',
        ENDPOINT '{endpoint.netloc}', URL_STYLE 'path', USE_SSL false)"""
)
database.execute(
    """COPY (SELECT range AS id, range % 7 AS day, repeat('x', 100) AS text
        FROM range(200000)) TO 's3://own/tables/runs.parquet' (FORMAT parquet)"""
)
[(count, total)] = database.execute(
    "SELECT count(*), sum(id) FROM read_parquet('s3://own/tables/*.parquet') WHERE day = 3"
).fetchall()
assert (count, total) == (28571, sum(range(3, 200000, 7))), (count, total)
