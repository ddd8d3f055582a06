/** Where a content store keeps the content of a strongroom. */
export interface ContentLocation {
  readonly bucket: string;
  /** What the names of all objects begin with, with a slash at its end. */
  readonly prefix: string;
  /** The origin of the store. */
  readonly endpoint: string;
  readonly region: string;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,64}$/;
/** Names that are the same in a path of HTTP, in a signature and in a listing. */
const PREFIX = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){1,10}$/;
const PARAMETERS: ReadonlySet<string> = new Set(["endpoint", "region"]);

/**
 * Parses the address of a content store (C 23): `s3://bucket/prefix?endpoint=…&region=…`. Returns undefined
 * if it is none.
 */
export function parseContentUrl(text: string): ContentLocation | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "s3:") return undefined;
  const { hostname: bucket, pathname, searchParams } = url;
  const path = pathname.replace(/\/$/, "");
  const region = searchParams.get("region") ?? "us-east-1";
  const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  const origin = URL.parse(endpoint);
  const isPlain = [url.username, url.password, url.port, url.hash].every((it) => it === "") &&
    searchParams.keys().every((key) => PARAMETERS.has(key));
  const isSound = BUCKET.test(bucket) && REGION.test(region) && PREFIX.test(path) &&
    origin !== null && ["http:", "https:"].includes(origin.protocol) &&
    [origin.origin, `${origin.origin}/`].includes(endpoint);
  if (!isPlain || !isSound) return undefined;
  return { bucket, prefix: `${path.slice(1)}/`, endpoint: origin.origin, region };
}
