import type { ServedRoute } from "../serving/route.ts";
import { getObjectAttributes } from "./attributes.ts";
import { authenticate } from "./authenticate.ts";
import { createBucket, getBucketLocation, headBucket, listBuckets } from "./buckets.ts";
import { completeMultipartUpload } from "./complete_multipart.ts";
import { copyObject } from "./copy.ts";
import { COPY_SOURCE } from "./copy_source.ts";
import { deleteMany } from "./delete_many.ts";
import { listObjects, listObjectsV2 } from "./list.ts";
import { getBucketVersioning, listObjectVersions } from "./list_versions.ts";
import {
  abortMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
  uploadPartCopy,
} from "./multipart.ts";
import { deleteObject, getObject, putObject } from "./objects.ts";
import { dispatch, type S3Operation } from "./operation.ts";
import { S3_PATH } from "../reply/error_forms.ts";
import { deleteTags, getTags, putTags } from "./tags.ts";

const LIST = ["prefix", "delimiter", "max-keys", "encoding-type"];
const REPLACED = [
  "response-cache-control",
  "response-content-disposition",
  "response-content-encoding",
  "response-content-language",
  "response-content-type",
  "response-expires",
];

const BUCKETS: readonly S3Operation[] = [
  {
    name: "ListBuckets",
    method: "GET",
    on: "service",
    parameters: ["prefix", "max-buckets", "continuation-token", "bucket-region"],
    handle: listBuckets,
  },
  {
    name: "HeadBucket",
    method: "HEAD",
    on: "bucket",
    privilege: "resources.view",
    handle: headBucket,
  },
  {
    name: "CreateBucket",
    method: "PUT",
    on: "bucket",
    privilege: "resources.view",
    handle: createBucket,
  },
  {
    name: "GetBucketLocation",
    method: "GET",
    on: "bucket",
    by: ["location"],
    privilege: "resources.view",
    handle: getBucketLocation,
  },
  {
    name: "GetBucketVersioning",
    method: "GET",
    on: "bucket",
    by: ["versioning"],
    privilege: "resources.view",
    handle: getBucketVersioning,
  },
  {
    name: "ListObjectsV2",
    method: "GET",
    on: "bucket",
    by: ["list-type"],
    parameters: [...LIST, "continuation-token", "start-after", "fetch-owner"],
    privilege: "resources.view",
    handle: listObjectsV2,
  },
  {
    name: "ListObjectVersions",
    method: "GET",
    on: "bucket",
    by: ["versions"],
    parameters: [...LIST, "key-marker", "version-id-marker"],
    privilege: "resources.view",
    handle: listObjectVersions,
  },
  {
    name: "ListObjects",
    method: "GET",
    on: "bucket",
    parameters: [...LIST, "marker"],
    privilege: "resources.view",
    handle: listObjects,
  },
  {
    name: "ListMultipartUploads",
    method: "GET",
    on: "bucket",
    by: ["uploads"],
    parameters: [
      ...["prefix", "delimiter", "max-uploads", "key-marker", "upload-id-marker", "encoding-type"],
    ],
    privilege: "resources.view",
    handle: listMultipartUploads,
  },
  {
    name: "DeleteObjects",
    method: "POST",
    on: "bucket",
    by: ["delete"],
    privilege: "resources.delete",
    readsBody: true,
    handle: deleteMany,
  },
];

const OBJECTS: readonly S3Operation[] = [
  {
    name: "GetObject",
    method: "GET",
    on: "object",
    parameters: ["versionId", "partNumber", ...REPLACED],
    privilege: "resources.download",
    handle: getObject,
  },
  {
    name: "HeadObject",
    method: "HEAD",
    on: "object",
    parameters: ["versionId", "partNumber", ...REPLACED],
    privilege: "resources.download",
    handle: getObject,
  },
  {
    name: "GetObjectAttributes",
    method: "GET",
    on: "object",
    by: ["attributes"],
    parameters: ["versionId"],
    privilege: "resources.download",
    handle: getObjectAttributes,
  },
  {
    name: "CopyObject",
    method: "PUT",
    on: "object",
    header: COPY_SOURCE,
    privilege: "resources.upload",
    handle: copyObject,
  },
  {
    name: "PutObject",
    method: "PUT",
    on: "object",
    privilege: "resources.upload",
    readsBody: true,
    handle: putObject,
  },
  {
    name: "GetObjectTagging",
    method: "GET",
    on: "object",
    by: ["tagging"],
    privilege: "resources.view",
    handle: getTags,
  },
  {
    name: "PutObjectTagging",
    method: "PUT",
    on: "object",
    by: ["tagging"],
    privilege: "resources.edit",
    readsBody: true,
    handle: putTags,
  },
  {
    name: "DeleteObjectTagging",
    method: "DELETE",
    on: "object",
    by: ["tagging"],
    privilege: "resources.edit",
    handle: deleteTags,
  },
  {
    name: "DeleteObject",
    method: "DELETE",
    on: "object",
    privilege: "resources.delete",
    handle: deleteObject,
  },
];

const PARTS: readonly S3Operation[] = [
  {
    name: "CreateMultipartUpload",
    method: "POST",
    on: "object",
    by: ["uploads"],
    privilege: "resources.upload",
    handle: createMultipartUpload,
  },
  {
    name: "UploadPartCopy",
    method: "PUT",
    on: "object",
    by: ["partNumber", "uploadId"],
    header: COPY_SOURCE,
    privilege: "resources.upload",
    handle: uploadPartCopy,
  },
  {
    name: "UploadPart",
    method: "PUT",
    on: "object",
    by: ["partNumber", "uploadId"],
    privilege: "resources.upload",
    readsBody: true,
    handle: uploadPart,
  },
  {
    name: "CompleteMultipartUpload",
    method: "POST",
    on: "object",
    by: ["uploadId"],
    privilege: "resources.upload",
    readsBody: true,
    handle: completeMultipartUpload,
  },
  {
    name: "AbortMultipartUpload",
    method: "DELETE",
    on: "object",
    by: ["uploadId"],
    privilege: "resources.upload",
    handle: abortMultipartUpload,
  },
  {
    name: "ListParts",
    method: "GET",
    on: "object",
    by: ["uploadId"],
    parameters: ["max-parts", "part-number-marker", "encoding-type"],
    privilege: "resources.view",
    handle: listParts,
  },
];

/** All operations of the door, those with a header before those without. */
export const S3_OPERATIONS: readonly S3Operation[] = [...BUCKETS, ...OBJECTS, ...PARTS];

const handle = dispatch(S3_OPERATIONS);
const served = { privilege: "any", tree: "address", authenticate, handle } as const;
const BUCKET = `${S3_PATH}/{bucket}`;
const OBJECT = `${BUCKET}/{+key}`;

/** The addresses of the door (C 30). An address is that of several operations, which its parameters tell apart. */
export const S3_ROUTES: readonly ServedRoute[] = [
  { ...served, method: "GET", path: S3_PATH },
  { ...served, method: "GET", path: BUCKET },
  { ...served, method: "PUT", path: BUCKET, action: "s3.put" },
  { ...served, method: "POST", path: BUCKET, action: "s3.delete" },
  { ...served, method: "DELETE", path: BUCKET, action: "s3.delete" },
  { ...served, method: "GET", path: OBJECT, load: "transfer" },
  { ...served, method: "PUT", path: OBJECT, action: "s3.put", load: "transfer" },
  { ...served, method: "POST", path: OBJECT, action: "s3.put", load: "transfer" },
  { ...served, method: "DELETE", path: OBJECT, action: "s3.delete" },
];
