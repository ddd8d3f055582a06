import { KIB, MIB } from "../../schemas/units.ts";
import type { Attack } from "./attack.ts";

/** How much memory a server with this load may take, in bytes. */
const MAX_BYTES = 180e6;
/** By then, memory has leveled off. */
const MIN_SECONDS = 180;

/** The sizes of uploads, in turn. */
const SIZES = [KIB, 20 * KIB, KIB, 200 * KIB, 20 * KIB, KIB, 4 * MIB];
/** Uploads go to this many directories, which are moved, copied, packed, scanned and deleted. */
const DIRECTORIES = 50;

const content = crypto.getRandomValues(new Uint8Array(KIB));

interface Sent {
  readonly path: string;
  readonly init?: RequestInit;
}

/** The requests of honest users, 8 at once, for as long as it takes until memory levels off. */
export const MIXED_LOAD: Attack = {
  name: "Mixed load of honest users, 8 at once, for three minutes",
  minSeconds: MIN_SECONDS,
  maxBytes: MAX_BYTES,
  async run(attacker) {
    await attacker.read(4, attacker.head("GET", "/events/"));
    await attacker.repeat(attacker.pick(8, 4), mixedRequest);
  },
};

/** The request of a number: half of all are uploads, and what they store is deleted again. */
function mixedRequest(index: number): Sent {
  const round = Math.floor(index / 20);
  const dir = `mixed-${round % DIRECTORIES}`;
  switch (index % 20) {
    case 0:
      return { path: `/resources/?path=${dir}`, init: { method: "DELETE" } };
    case 3:
      return { path: `/resources/?path=${dir}` };
    case 5:
      return { path: `/resources/download?path=${dir}/f1` };
    case 7:
      return { path: `/resources/download?path=${dir}/f6` };
    case 9:
      return { path: "/resources/?recursive=true" };
    case 11:
      return { path: `/resources/download?path=${dir}` };
    case 13:
      return json("POST", "/resources/copy", { source: `${dir}/f1`, destination: `${dir}/copy` });
    case 15:
      return json("PUT", "/resources/move", { source: `${dir}/f2`, destination: `${dir}/moved` });
    case 17:
      return round % 10 === 0
        ? json("POST", "/scans/", { path: dir })
        : { path: `/resources/?path=${dir}&recursive=true` };
    case 19:
      return json("POST", "/resources/mkdir", { path: `${dir}/made` });
    default:
      return upload(dir, index);
  }
}

function upload(dir: string, index: number): Sent {
  const size = SIZES[index % SIZES.length] ?? KIB;
  const head = new TextEncoder().encode(`${index}`);
  const form = new FormData();
  const pieces = Array.from({ length: Math.ceil(size / KIB) }, () => content);
  form.append("files", new Blob([head, ...pieces]), `f${index % 20}`);
  return { path: `/resources/?dir=${dir}`, init: { method: "POST", body: form } };
}

function json(method: string, path: string, body: unknown): Sent {
  const headers = { "Content-Type": "application/json" };
  return { path, init: { method, headers, body: JSON.stringify(body) } };
}
