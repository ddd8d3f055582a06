import type { RuleCode } from "../contract/rules.ts";

/** Where a text leads to. */
export interface FoundLink {
  /** Scheme and host, without what may hold credentials. */
  readonly target: string;
  /** What is suspicious about it. */
  readonly suspicion?: string;
  readonly ruleCode: RuleCode;
}

const SHORTENERS: ReadonlySet<string> = new Set(
  ("bit.ly tinyurl.com t.co goo.gl is.gd ow.ly buff.ly cutt.ly rebrand.ly shorturl.at t.ly v.gd " +
    "rb.gy tiny.cc s.id bl.ink adf.ly lnkd.in").split(" "),
);

const PASTEBINS: ReadonlySet<string> = new Set(
  ("pastebin.com paste.ee hastebin.com ghostbin.com rentry.co dpaste.com dpaste.org controlc.com " +
    "termbin.com ix.io 0x0.st transfer.sh file.io anonfiles.com gofile.io pastes.io paste.rs " +
    "catbox.moe").split(" "),
);

/** Hosts that hand on what is sent to them, or to a machine at home. */
const CATCHERS: ReadonlySet<string> = new Set(
  ("webhook.site requestbin.com requestbin.net pipedream.net interact.sh oast.fun oast.pro oast.live " +
    "oast.site oast.online oast.me burpcollaborator.net oastify.com beeceptor.com ngrok.io " +
    "ngrok.app ngrok-free.app serveo.net localtunnel.me trycloudflare.com dnslog.cn").split(" "),
);

const SCHEMES =
  /(?<![A-Za-z0-9+.-])(https?|ftps?|file|gopher|ldaps?|rmi|jar|smb|dict|tftp|ssh|git\+ssh|git\+https?|telnet):\/\/([^\s"'<>`\\]{1,2000})/gi;

const COMMANDS: readonly RegExp[] = [
  /\b(?:curl|wget)\s[^\n|;&]{0,300}[|;&]{1,2}\s{0,4}(?:sudo\s)?(?:ba|z|da|k)?sh\b/i,
  /\b(?:curl|wget)\s[^\n|;&]{0,300}[|;&]{1,2}\s{0,4}(?:sudo\s)?(?:python|perl|ruby|node)\d?\b/i,
  /\b(?:ba|z|da)?sh\s+-c\s.{0,20}(?:\$\(|`)\s{0,4}(?:curl|wget)\b/i,
  /\bpowershell(?:\.exe)?\s.{0,100}-e(?:nc|ncodedcommand)?\s/i,
  /\b(?:iex|invoke-expression)\b.{0,40}\b(?:downloadstring|iwr|invoke-webrequest)\b/i,
  /\/dev\/tcp\/[\w.-]{1,253}\/\d{1,5}/,
];

/** The links in a text, and what is suspicious about them (S308, S309). */
export function* findLinks(text: string): Generator<FoundLink, void, void> {
  if (text.length < 8) return;
  for (const [, scheme = "", rest = ""] of text.matchAll(SCHEMES)) {
    const link = judge(scheme.toLowerCase(), rest);
    if (link !== undefined) yield link;
  }
  const script = /^\s*(javascript|vbscript):[^\n]{0,1000}\(|^\s*(data:text\/html)[;,]/i.exec(text);
  if (script !== null) {
    const target = `${(script[1] ?? script[2] ?? "").toLowerCase()}:`;
    yield { target, suspicion: "a link that runs a script", ruleCode: "S309" };
  }
  if (/^\\\\[\w.-]{1,253}\\[\w$.-]/.test(text)) {
    yield { target: "\\\\…", suspicion: "a path on another machine", ruleCode: "S309" };
  }
}

/** Whether a text is a command that fetches something and runs it. */
export function runsDownload(text: string): boolean {
  return COMMANDS.some((pattern) => pattern.test(text));
}

function judge(scheme: string, rest: string): FoundLink | undefined {
  if (scheme === "file") {
    if (!/\w{2}/.test(rest)) return undefined;
    return { target: "file://…", suspicion: "a link to a local file", ruleCode: "S309" };
  }
  const authority = /^[^/?#]{0,600}/.exec(rest)?.[0] ?? "";
  const host = hostOf(authority.slice(authority.lastIndexOf("@") + 1));
  if (host === undefined) return undefined;
  const target = `${scheme}://${host.slice(0, 100)}`;
  const isAddress = isIpAddress(host);
  const suspicion = suspicionOf(scheme, authority, host, isAddress);
  const ruleCode = isAddress ? "S308" : "S309";
  return { target, ruleCode, ...suspicion !== undefined && { suspicion } };
}

/** The host as a browser reads it, or undefined where nothing is one. */
function hostOf(text: string): string | undefined {
  const bracketed = /^\[[0-9a-f:.]{2,45}\]/i.exec(text)?.[0];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const host = text.slice(0, 300).replace(/:\d*.*$/, "").replace(/[.,;)\]}*]+$/, "").toLowerCase();
  if (isIpAddress(host) || host === "localhost") return host;
  return /^[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)*\.\p{L}[\p{L}\d-]+$/u.test(host) ? host : undefined;
}

function suspicionOf(
  scheme: string,
  authority: string,
  host: string,
  isAddress: boolean,
): string | undefined {
  if (isAddress) return isOwnMachine(host) ? undefined : "an address instead of a name";
  if (/^(?:gopher|ldaps?|rmi|jar|smb|dict|tftp|telnet)$/.test(scheme)) {
    return `the scheme ${scheme}`;
  }
  if (authority.includes("@") && !/^(?:git\+)?ssh$/.test(scheme)) {
    return "a user name before the host";
  }
  if (/(?:^|\.)xn--/.test(host) || /[^\x21-\x7e]/.test(host)) return "letters of other alphabets";
  if (isOneOf(SHORTENERS, host)) return "a shortener of links";
  if (isOneOf(PASTEBINS, host)) return "a place to put texts without a name";
  if (isOneOf(CATCHERS, host)) return "a place that hands on what is sent to it";
  return undefined;
}

/** IPv6, and IPv4 in notations that resolvers take and nobody writes by chance. */
function isIpAddress(host: string): boolean {
  return /^(?:(?:0x[0-9a-f]+|\d+)\.){3}(?:0x[0-9a-f]+|\d+)$|^0x[0-9a-f]{7,8}$|^\d{8,10}$/.test(
    host,
  ) ||
    /^\[[0-9a-f:.]{2,45}\]$/.test(host);
}

function isOwnMachine(host: string): boolean {
  return /^127\.\d+\.\d+\.\d+$|^0\.0\.0\.0$|^\[::1?\]$/.test(host);
}

/** Whether a name is in a list, or a subdomain of one that is. */
function isOneOf(hosts: ReadonlySet<string>, host: string): boolean {
  const parts = host.split(".");
  return parts.some((_, index) => hosts.has(parts.slice(index).join(".")));
}
