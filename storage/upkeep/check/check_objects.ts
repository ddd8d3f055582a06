import type { ContentLocation } from "../../../schemas/content_url.ts";
import type { Bucket, ListedObject } from "../../content/objects/bucket.ts";
import type { KnownObject, LostUpload, ObjectAudit } from "../../tables/object_audit.ts";
import { forEach } from "../../threads/for_each.ts";
import type { ContentCheck } from "./check_contents.ts";
import { addLost } from "./check_uploads.ts";
import type { Findings } from "./findings.ts";

/** How long an object without a row is kept after a repair, as content in quarantine is. */
const KEPT_MS = 7 * 24 * 60 * 60_000;
/** A server needs less time between two steps that change what an upload has. */
const MOMENT_MS = 2000;

export interface ObjectCheckOptions {
  readonly objects: ObjectAudit;
  readonly bucket: Bucket;
  readonly location: ContentLocation;
  readonly content: ContentCheck;
  readonly findings: Findings;
  /** Whether all content has been read, and its objects with it. */
  readonly readData: boolean;
  readonly repair: boolean;
  readonly isServed: () => Promise<boolean>;
}

/** The name of an object, after the prefix. */
const OWN_NAME = /^[0-9a-f]{2}\/[0-9a-f]{32}$/;
/** What differs is looked up in batches, several objects at once. */
const MAX_DIFFERING = 256;
const MAX_AT_ONCE = 8;

/** An object in the bucket, in a row, or both. */
interface Pair {
  readonly key: string;
  readonly listed: ListedObject | undefined;
  readonly known: KnownObject | undefined;
}

/**
 * Compares the objects of a bucket with the rows that name them (C 23). Both are read in the order of their
 * names, a page at a time, while servers change them. Whatever differs is looked up again: a name is used
 * once, its row is there before its object, and the object until its row says that it is leaving. So if a
 * row names an object before and after it was missing, it is lost; and an object that is there after no row
 * has named it has none for ever.
 */
export async function checkObjects(options: ObjectCheckOptions): Promise<void> {
  const { objects, bucket, location: { prefix } } = options;
  const isOurs = (key: string) => key.startsWith(prefix) && OWN_NAME.test(key.slice(prefix.length));
  const listed = ordered(bucket.list(prefix), isOurs);
  let differing: Pair[] = [];
  const checkDiffering = async () => {
    await forEach(differing, MAX_AT_ONCE, (pair) => checkPair(pair, options));
    differing = [];
  };
  for await (const pair of paired(listed, objects.objects())) {
    if (isRight(pair)) continue;
    differing.push(pair);
    if (differing.length >= MAX_DIFFERING) await checkDiffering();
  }
  await checkDiffering();
  await checkRows(options);
}

/** The objects of a listing that are ours. Others are skipped, as foreign files in a data directory are. */
async function* ordered(
  pages: AsyncIterable<readonly ListedObject[]>,
  isOurs: (key: string) => boolean,
): AsyncGenerator<ListedObject, void> {
  let last = "";
  for await (const page of pages) {
    for (const object of page) {
      if (!isOurs(object.key)) continue;
      if (object.key <= last) throw new Error("The content store does not list objects in order");
      last = object.key;
      yield object;
    }
  }
}

/** Merges two sequences in the order of their keys. */
async function* paired(
  listed: AsyncGenerator<ListedObject, void>,
  known: AsyncGenerator<KnownObject, void>,
): AsyncGenerator<Pair, void> {
  let [object, row] = [await listed.next(), await known.next()];
  while (!object.done || !row.done) {
    const [a, b] = [object.value, row.value];
    const key = a !== undefined && (b === undefined || a.key <= b.key) ? a.key : b?.key ?? "";
    const isListed = a?.key === key;
    const isKnown = b?.key === key;
    yield { key, listed: isListed ? a : undefined, known: isKnown ? b : undefined };
    if (isListed) object = await listed.next();
    if (isKnown) row = await known.next();
  }
}

/** Whether an object has the bytes that its row says. */
function isRight({ listed, known }: Pair): boolean {
  return listed !== undefined && known !== undefined && hasSize(known, listed.size);
}

/** A part may have more bytes, which do not count. */
function hasSize({ role, size = 0 }: KnownObject, found: number): boolean {
  if (role === "part") return found >= size;
  return role === "arriving" || role === "leaving" || found === size;
}

async function checkPair({ key, known }: Pair, options: ObjectCheckOptions): Promise<void> {
  switch (known?.role) {
    case undefined:
      return await checkSurplus(key, options);
    case "content":
      if (!options.readData) await options.content.recheck(known.id);
      return;
    case "part":
    case "waiting":
      return await checkReceived(known, options);
    case "arriving":
    case "leaving":
    case "quarantine":
      // They may be missing: no record needs them.
  }
}

async function checkSurplus(
  key: string,
  { objects, bucket, findings, repair }: ObjectCheckOptions,
): Promise<void> {
  if (await objects.find(key) !== undefined) return;
  const size = await bucket.sizeOf(key);
  if (size === undefined) return;
  if (repair) await objects.leave(key, Date.now() + KEPT_MS);
  const fate = repair ? "; it will be deleted in 7 days" : "";
  const message = `The object ${key} of ${size} bytes is in no table of the database${fate}`;
  findings.add({ kind: "unreferenced", message, object: key }, { repaired: repair });
}

/** Looks again at what an upload has received, or at content that waits. */
async function checkReceived(
  { key, role, id }: KnownObject,
  { objects, bucket, findings, repair }: ObjectCheckOptions,
): Promise<void> {
  const size = await bucket.sizeOf(key);
  const known = await objects.find(key);
  if (known?.role !== role || known.id !== id || hasSize(known, size ?? -1)) return;
  const upload = await objects.upload(role, id, size ?? 0);
  if (upload === undefined) return;
  if (repair) await objects.removeUpload(upload);
  addLost(findings, { ...upload, bytes: known.size ?? upload.bytes }, repair);
}

/** Reports uploads, and content that waits, without the rows of what was received. */
async function checkRows(
  { objects, findings, repair, isServed }: ObjectCheckOptions,
): Promise<void> {
  let lost = await lostRows(objects);
  if (lost.size > 0 && await isServed()) {
    await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
    const later = await lostRows(objects);
    lost = new Map([...lost].filter(([id, { kept }]) => later.get(id)?.kept === kept));
  }
  for (const upload of lost.values()) {
    if (repair) await objects.removeUpload(upload);
    addLost(findings, upload, repair);
  }
}

async function lostRows(objects: ObjectAudit): Promise<Map<string, LostUpload>> {
  const lost = new Map<string, LostUpload>();
  for await (const upload of objects.lostUploads()) lost.set(upload.id, upload);
  for await (const upload of objects.lostWaiting()) lost.set(upload.id, upload);
  return lost;
}
