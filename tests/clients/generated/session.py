"""Uses the client that openapi-python-client generates as the package `generated`."""

import base64
import io
import sys

from generated.api.files import get_file, put_file
from generated.api.uploads import append_to_upload, create_upload
from generated.client import AuthenticatedClient
from generated.types import File

origin, token = sys.argv[1:]
client = AuthenticatedClient(base_url=origin, token=token)
body = File(payload=io.BytesIO(b"by Python"))
put = put_file.sync_detailed("python.txt", client=client, body=body)
metadata = "path " + base64.b64encode(b"uploaded.txt").decode()
created = create_upload.sync_detailed(
    client=client,
    body=File(payload=io.BytesIO(b"in ")),
    tus_resumable="1.0.0",
    upload_length="8",
    upload_metadata=metadata,
)
upload = created.headers["Location"].rsplit("/", 1)[-1]
appended = append_to_upload.sync_detailed(
    upload,
    client=client,
    body=File(payload=io.BytesIO(b"parts")),
    tus_resumable="1.0.0",
    upload_offset="3",
)
got = get_file.sync_detailed("uploaded.txt", client=client)
print(put.status_code.value, created.status_code.value, appended.status_code.value, got.content.decode())
