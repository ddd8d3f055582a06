"""Keeps the artifacts of a run in a bucket by MLflow. Its argument is a directory."""

import os
import sys

os.environ["MLFLOW_S3_ENDPOINT_URL"] = os.environ["AWS_ENDPOINT_URL_S3"]
from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

[directory] = sys.argv[1:]
store = get_artifact_repository("s3://own/mlflow/1/artifacts")
store.log_artifacts(directory, "model")
paths = sorted(item.path for item in store.list_artifacts("model"))
assert paths == [f"model/{name}" for name in sorted(os.listdir(directory))], paths
copy = store.download_artifacts("model")
for name in os.listdir(directory):
    with open(f"{directory}/{name}", "rb") as sent, open(f"{copy}/{name}", "rb") as received:
        assert sent.read() == received.read(), name
store.delete_artifacts("model")
assert store.list_artifacts("model") == []
