import { Buffer } from "node:buffer";
import { quoted } from "../../core/errors.ts";
import {
  type Checksum,
  CHECKSUM_ALGORITHMS,
  CHECKSUM_BYTES,
  CHECKSUM_TYPES,
  type ChecksumAlgorithm,
  type ChecksumType,
} from "../../core/s3/checksum.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import type { S3Checksum, S3ChecksumKind } from "../../schemas/s3_metadata.ts";
import type { HeaderSource } from "../request/conditional.ts";
import { element, type Xml } from "./reply.ts";
import type { RequestHeaders } from "./request_headers.ts";

/** The digests that clients state of content. */
export type Algorithm = ChecksumAlgorithm | "MD5";

/** How the names of headers with checksums begin. */
const CHECKSUM = "x-amz-checksum-";
const ALGORITHM = `${CHECKSUM}algorithm`;
const TYPE = `${CHECKSUM}type`;
/** Whether a reader wants the checksum. */
const MODE = `${CHECKSUM}mode`;
const SDK_ALGORITHM = "x-amz-sdk-checksum-algorithm";

/** A digest that a client states of content. */
export interface StatedDigest {
  readonly header: string;
  readonly algorithm: Algorithm;
  /** In lower-case hex. */
  readonly hex: string;
  /** As the header has it. */
  readonly text: string;
}

function headerOf(algorithm: ChecksumAlgorithm): string {
  return `${CHECKSUM}${algorithm.toLowerCase()}`;
}

/** A checksum as headers of a reply. */
export function checksumHeaders(checksum: Checksum | S3Checksum): Record<string, string> {
  return {
    [headerOf(checksum.algorithm)]: checksum.value,
    ..."type" in checksum && { [TYPE]: checksum.type },
  };
}

/** A checksum as elements of a reply. */
export function checksumElements(checksum: Checksum | S3Checksum | undefined): Xml[] {
  if (checksum === undefined) return [];
  return [
    element(`Checksum${checksum.algorithm}`, checksum.value),
    ..."type" in checksum ? [element("ChecksumType", checksum.type)] : [],
  ];
}

/** Which checksum an object or an upload has, as elements of a list. Written as one text: a page has a thousand. */
export function kindElements(kind: S3ChecksumKind | undefined): Xml {
  if (kind === undefined) return { xml: "" };
  return {
    xml: `<ChecksumAlgorithm>${kind.algorithm}</ChecksumAlgorithm>` +
      `<ChecksumType>${kind.type}</ChecksumType>`,
  };
}

/** Which checksum an upload is created with, as headers of the reply. */
export function kindHeaders(kind: S3ChecksumKind | undefined): Record<string, string> {
  return kind === undefined ? {} : { [ALGORITHM]: kind.algorithm, [TYPE]: kind.type };
}

/**
 * The checksums that a request states of its content, at most one of them besides the MD5.
 *
 * @throws {S3Error} `InvalidRequest` when there are several, one that is not offered, or another one than is announced.
 */
export function statedDigests(headers: RequestHeaders): StatedDigest[] {
  for (const name of headers.names()) {
    if (name.startsWith(CHECKSUM)) refuseUnknown(name);
  }
  const md5 = headers.get("Content-MD5");
  const checksums: StatedDigest[] = [];
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const header = headerOf(algorithm);
    const value = headers.get(header);
    if (value !== null) checksums.push(digestOf(header, algorithm, value));
  }
  const [checksum] = checksums;
  const announced = (headers.get("x-amz-trailer") ?? "").trim();
  if (checksums.length > 1 || checksum !== undefined && announced.includes(CHECKSUM)) {
    throw new S3Error("InvalidRequest", "There is more than one checksum");
  }
  if (checksum !== undefined) requireAnnounced(headers, checksum.header);
  else if (announced !== "") requireAnnounced(headers, announced);
  return [...md5 === null ? [] : [digestOf("Content-MD5", "MD5", md5)], ...checksums];
}

/** A checksum that is not compared must not seem to be. */
function refuseUnknown(header: string): void {
  const isKnown = [ALGORITHM, TYPE, MODE].includes(header) ||
    CHECKSUM_ALGORITHMS.some((it) => headerOf(it) === header);
  if (isKnown) return;
  throw new S3Error(
    "InvalidRequest",
    `The header ${quoted(header)} is not offered here, expected one of ${
      CHECKSUM_ALGORITHMS.map(headerOf).join(", ")
    }`,
  );
}

function requireAnnounced(headers: HeaderSource, header: string): void {
  const announced = headers.get(SDK_ALGORITHM)?.toLowerCase();
  if (announced === undefined || !header.startsWith(CHECKSUM)) return;
  if (header === `${CHECKSUM}${announced}`) return;
  throw new S3Error(
    "InvalidRequest",
    `${SDK_ALGORITHM} is ${quoted(announced)}, and there is a ${header}`,
  );
}

/** The algorithm of the checksum that a trailer has. */
export function announcedDigest(name: string): ChecksumAlgorithm {
  const algorithm = CHECKSUM_ALGORITHMS.find((it) => headerOf(it) === name);
  if (algorithm !== undefined) return algorithm;
  throw new S3Error("InvalidRequest", `The trailer ${quoted(name)} is not offered here`);
}

/** @throws {S3Error} `InvalidDigest`, `InvalidRequest` unless a text is a digest in base64. */
export function digestOf(header: string, algorithm: Algorithm, base64: string): StatedDigest {
  const length = algorithm === "MD5" ? 16 : CHECKSUM_BYTES[algorithm];
  const bytes = Buffer.from(base64, "base64");
  if (bytes.length === length && bytes.toString("base64") === base64) {
    return { header, algorithm, hex: bytes.toString("hex"), text: base64 };
  }
  throw new S3Error(
    algorithm === "MD5" ? "InvalidDigest" : "InvalidRequest",
    `${header} is ${quoted(base64)}, expected ${length} bytes in base64`,
  );
}

/**
 * The checksum that a request states of an object that was uploaded in parts. One of checksums has the number of
 * parts at its end.
 *
 * @throws {S3Error} `InvalidRequest` when there are several, or it is none.
 */
export function statedOfParts(headers: HeaderSource): Checksum | undefined {
  const stated: Checksum[] = [];
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const header = headerOf(algorithm);
    const value = headers.get(header);
    if (value === null) continue;
    digestOf(header, algorithm, value.replace(/-[1-9]\d{0,4}$/, ""));
    stated.push({ algorithm, value });
  }
  if (stated.length > 1) throw new S3Error("InvalidRequest", "There is more than one checksum");
  return stated[0];
}

/** @throws {S3Error} `InvalidRequest` when a header names no algorithm that is offered. */
export function statedAlgorithm(headers: HeaderSource): ChecksumAlgorithm | undefined {
  return oneOf(headers, ALGORITHM, CHECKSUM_ALGORITHMS);
}

/** @throws {S3Error} `InvalidRequest` when a header is no type of checksums. */
export function statedType(headers: HeaderSource): ChecksumType | undefined {
  return oneOf(headers, TYPE, CHECKSUM_TYPES);
}

function oneOf<Word extends string>(
  headers: HeaderSource,
  header: string,
  words: readonly Word[],
): Word | undefined {
  const stated = headers.get(header);
  if (stated === null) return undefined;
  const word = words.find((it) => it === stated.toUpperCase());
  if (word !== undefined) return word;
  throw new S3Error(
    "InvalidRequest",
    `${header} is ${quoted(stated)}, expected one of ${words.join(", ")}`,
  );
}

/**
 * Which checksum an upload in parts is created with. What cannot be joined is one of the checksums of parts.
 *
 * @throws {S3Error} `InvalidRequest` when there is no such one.
 */
export function statedKind(headers: HeaderSource): S3ChecksumKind | undefined {
  const algorithm = statedAlgorithm(headers);
  const stated = statedType(headers);
  if (algorithm === undefined) {
    if (stated === undefined) return undefined;
    throw new S3Error("InvalidRequest", `${TYPE} needs an ${ALGORITHM}`);
  }
  const type = stated ?? (algorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE");
  const isOffered = type === "COMPOSITE" ? algorithm !== "CRC64NVME" : /^CRC/.test(algorithm);
  if (isOffered) return { algorithm, type };
  throw new S3Error("InvalidRequest", `The type ${type} is not offered for ${algorithm}`);
}

/** Whether a reader wants the checksum of an object. */
export function wantsChecksum(headers: HeaderSource): boolean {
  return headers.get(MODE) === "ENABLED";
}
