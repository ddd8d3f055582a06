import * as v from "valibot";
import { duration, hostsWithPorts, httpUrl, path, size, text } from "./setting_kinds.ts";
import { urlAuthority } from "./url_authority.ts";

const Namespace = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,95}$/));

/** The settings of the mirror (C 28). */
export const MIRROR_SETTINGS = {
  /** The other hub: `https://huggingface.co`, or `…/hub` of another strongroom. Default: there is no mirror. */
  mirrorUrl: v.optional(httpUrl),
  /** The credential for it. Default: none. */
  mirrorToken: v.optional(text),
  mirrorTokenFile: v.optional(path),
  /** The hosts that it may redirect to. Default: those of the public hub, if that is the other hub, otherwise none. */
  mirrorHosts: v.optional(hostsWithPorts),
  /** After how long it is asked again what a branch or tag names. */
  mirrorFresh: v.optional(duration, "5m"),
  /** The most bytes of mirrored files. Default: half of the disk. */
  mirrorMaxBytes: v.optional(size(1)),
  /** The most bytes that come in within a second. Default: as many as can. */
  mirrorRate: v.optional(size(1)),
  /** Namespaces that the other hub is never asked for. Default: none. */
  ownNamespaces: v.optional(v.pipe(
    text,
    v.transform((value) => value.split(",").map((name) => name.trim())),
    v.check(
      (names) => names.every((name) => v.is(Namespace, name)),
      "comma-separated namespaces such as acme,acme-labs",
    ),
  )),
};

/** Where the public hub keeps content. */
const PUBLIC_HOSTS: readonly string[] = [
  "cas-bridge.xethub.hf.co",
  "cdn-lfs.hf.co",
  "cdn-lfs-eu-1.hf.co",
  "cdn-lfs-us-1.hf.co",
  "cdn-lfs.huggingface.co",
  "us.aws.cdn.hf.co",
  "us.gcp.cdn.hf.co",
];

/** Host and port of all that the mirror may connect to: the other hub first. None without a mirror. */
export function mirrorAuthorities(
  { mirrorUrl, mirrorHosts }: {
    readonly mirrorUrl?: string | undefined;
    readonly mirrorHosts?: readonly string[] | undefined;
  },
): string[] {
  if (mirrorUrl === undefined) return [];
  const url = new URL(mirrorUrl);
  const hosts = mirrorHosts ?? (url.hostname === "huggingface.co" ? PUBLIC_HOSTS : []);
  return [url.host, ...hosts].map((host) => urlAuthority(`${url.protocol}//${host}`));
}
