"""Reads and writes a bucket by boto3, as its users do. Its arguments are files of 12 MB and of a few bytes."""

import sys
import urllib.request

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

large, small = sys.argv[1:]
s3 = boto3.client("s3", config=Config(signature_version="s3v4"))
assert [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]] == ["own"]

s3.upload_file(large, "own", "models/large.bin", ExtraArgs={"Metadata": {"epoch": "3"}})
s3.upload_file(small, "own", "models/a b+ü.txt")
head = s3.head_object(Bucket="own", Key="models/large.bin")
assert head["Metadata"] == {"epoch": "3"} and head["ETag"].endswith('-2"'), head
s3.download_file("own", "models/large.bin", "copy.bin")
with open(large, "rb") as sent, open("copy.bin", "rb") as received:
    assert sent.read() == received.read()
part = s3.get_object(Bucket="own", Key="models/large.bin", Range="bytes=8-15")["Body"].read()
assert len(part) == 8

s3.copy({"Bucket": "own", "Key": "models/large.bin"}, "own", "copies/large.bin")
pages = s3.get_paginator("list_objects_v2").paginate(
    Bucket="own", PaginationConfig={"PageSize": 1}
)
keys = [item["Key"] for page in pages for item in page["Contents"]]
assert keys == ["copies/large.bin", "models/a b+ü.txt", "models/large.bin"], keys

url = s3.generate_presigned_url("get_object", Params={"Bucket": "own", "Key": "models/a b+ü.txt"})
with urllib.request.urlopen(url) as reply:
    assert reply.read() == open(small, "rb").read()
for algorithm in ["CRC32", "CRC32C", "SHA1", "SHA256"]:
    try:
        s3.put_object(Bucket="own", Key="sum", Body=b"content", ChecksumAlgorithm=algorithm)
    except Exception as error:
        # CRC32C needs a library of its own.
        assert "crt" in str(error).lower(), error
try:
    s3.put_object(Bucket="own", Key="sum", Body=b"other", IfNoneMatch="*")
    raise AssertionError("It was replaced")
except ClientError as error:
    assert error.response["Error"]["Code"] == "PreconditionFailed", error
s3.put_object_tagging(Bucket="own", Key="sum", Tagging={"TagSet": [{"Key": "a", "Value": "1"}]})
assert s3.get_object_tagging(Bucket="own", Key="sum")["TagSet"] == [{"Key": "a", "Value": "1"}]
objects = [{"Key": key} for key in [*keys, "sum"]]
assert "Errors" not in s3.delete_objects(Bucket="own", Delete={"Objects": objects})
assert s3.list_objects_v2(Bucket="own", Prefix="models/l")["KeyCount"] == 0
