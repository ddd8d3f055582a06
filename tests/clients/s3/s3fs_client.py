"""Reads and writes a bucket by s3fs, as pandas and PyTorch do. Its argument is a file of 12 MB."""

import os
import sys

import s3fs

[large] = sys.argv[1:]
fs = s3fs.S3FileSystem(client_kwargs={"endpoint_url": os.environ["AWS_ENDPOINT_URL_S3"]})
fs.put(large, "own/run/large.bin")
with fs.open("own/run/parts.bin", "wb", block_size=5 * 2**20) as file:
    for part in range(3):
        file.write(bytes([part]) * (5 * 2**20))
with fs.open("own/run/large.bin") as file:
    file.seek(1000)
    part = file.read(10)
with open(large, "rb") as file:
    file.seek(1000)
    assert file.read(10) == part
assert fs.info("own/run/parts.bin")["size"] == 15 * 2**20
assert sorted(fs.ls("own/run", detail=False)) == ["own/run/large.bin", "own/run/parts.bin"]
fs.mv("own/run/parts.bin", "own/moved/parts.bin")
assert fs.find("own") == ["own/moved/parts.bin", "own/run/large.bin"]
fs.rm("own/run", recursive=True)
fs.rm("own/moved", recursive=True)
# Directories stay.
fs.invalidate_cache()
assert not fs.exists("own/run/large.bin") and not fs.exists("own/moved/parts.bin")
