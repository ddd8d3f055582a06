"""Teaches schemathesis the type of the bodies of tus 1.0.0."""

import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
