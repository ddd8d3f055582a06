import type { RuleCode } from "../contract/rules.ts";
import { trimEnd } from "../readers/text/trim_end.ts";

/** A link in a text. */
export interface FoundLink {
  /** Scheme and host, without user name, path and query, which can contain credentials. */
  readonly target: string;
  /** What is suspicious about the link, if anything. */
  readonly suspicion?: string;
  readonly ruleCode: RuleCode;
}

/** Hosts that hide who is contacted or what is fetched, with the reason. Their subdomains count too. */
const SUSPICIOUS_HOSTS: ReadonlyMap<string, string> = new Map([
  ...hosts(
    "a link shortener",
    `bit.ly tinyurl.com t.co goo.gl is.gd ow.ly buff.ly cutt.ly rebrand.ly shorturl.at t.ly v.gd
    rb.gy tiny.cc s.id bl.ink adf.ly lnkd.in`,
  ),
  ...hosts(
    "an anonymous paste or file host",
    `pastebin.com paste.ee hastebin.com ghostbin.com rentry.co dpaste.com dpaste.org controlc.com
    termbin.com ix.io 0x0.st transfer.sh file.io anonfiles.com gofile.io pastes.io paste.rs
    catbox.moe`,
  ),
  ...hosts(
    "a host that captures or forwards requests",
    `webhook.site requestbin.com requestbin.net pipedream.net interact.sh oast.fun oast.pro oast.live
    oast.site oast.online oast.me burpcollaborator.net oastify.com beeceptor.com ngrok.io
    ngrok.app ngrok-free.app serveo.net localtunnel.me trycloudflare.com dnslog.cn`,
  ),
]);

function hosts(suspicion: string, names: string): [string, string][] {
  return names.split(/\s+/).map((name) => [name, suspicion]);
}

const SCHEMES =
  /(?<![A-Za-z0-9+.-])(https?|ftps?|file|gopher|ldaps?|rmi|jar|smb|dict|tftp|ssh|git\+ssh|git\+https?|telnet):\/\/([^\s"'<>`\\]{1,2000})/gi;

const COMMANDS: readonly RegExp[] = [
  /\b(?:curl|wget)\s[^\n|;&]{0,300}[|;&]{1,2}\s{0,4}(?:sudo\s)?(?:ba|z|da|k)?sh\b/i,
  /\b(?:curl|wget)\s[^\n|;&]{0,300}[|;&]{1,2}\s{0,4}(?:sudo\s)?(?:python|perl|ruby|node)\d?\b(?!\s{1,4}-\w{0,4}[cemnp]\b)/i,
  /\b(?:ba|z|da)?sh\s+-c\s.{0,20}(?:\$\(|`)\s{0,4}(?:curl|wget)\b/i,
  /(?:\b(?:ba|z|da|k)?sh|\bsource|(?:^|\s)\.)\s{1,4}<\(\s{0,4}(?:curl|wget)\b/i,
  /\beval\s{1,4}"?(?:\$\(|`)\s{0,4}(?:curl|wget)\b/i,
  /\b(?:curl|wget)\s[^\n|;&]{0,300}[|;&]{1,2}\s{0,4}(?:sudo\s)?chmod\s{1,4}(?:a?\+x|7\d\d)\b/i,
  /\bpowershell(?:\.exe)?\s.{0,100}-e(?:nc|ncodedcommand)?\s/i,
  /\b(?:iex|invoke-expression)\b.{0,40}\b(?:downloadstring|iwr|invoke-webrequest)\b/i,
  /\/dev\/tcp\/[\w.-]{1,253}\/\d{1,5}/,
];

/** Finds the links in a text, and judges each (S308, S309). */
export function* findLinks(text: string): Generator<FoundLink, void, void> {
  if (text.length < 8) return;
  // matchAll starts at the last index of the expression.
  SCHEMES.lastIndex = 0;
  for (const [, scheme = "", rest = ""] of text.matchAll(SCHEMES)) {
    const link = judgeLink(scheme.toLowerCase(), rest);
    if (link !== undefined) yield link;
  }
  const script = /^\s*(javascript|vbscript):[^\n(]{0,1000}\(|^\s*(data:text\/html)[;,]/i.exec(text);
  if (script !== null) {
    const target = `${(script[1] ?? script[2] ?? "").toLowerCase()}:`;
    yield { target, suspicion: "a link that runs a script", ruleCode: "S309" };
  }
  if (/^\\\\[\w.-]{1,253}\\[\w$.-]/.test(text)) {
    yield { target: "\\\\…", suspicion: "a network path", ruleCode: "S309" };
  }
}

/** Whether a text contains a command that downloads something and runs it. */
export function runsDownload(text: string): boolean {
  return COMMANDS.some((pattern) => pattern.test(text));
}

function judgeLink(scheme: string, rest: string): FoundLink | undefined {
  if (scheme === "file") {
    if (!/\w{2}/.test(rest) || !/[/\\:]/.test(rest)) return undefined;
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

/** The host as a browser reads it, or undefined if there is none. */
function hostOf(text: string): string | undefined {
  const bracketed = /^\[[0-9a-f:.]{2,45}\]/i.exec(text)?.[0];
  if (bracketed !== undefined) return bracketed.toLowerCase();
  const [withoutPort = ""] = text.slice(0, 300).split(":", 1);
  const host = trimEnd(withoutPort, /[.,;)\]}*]/).toLowerCase();
  if (isIpAddress(host) || host === "localhost") return host;
  return /^[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)*\.\p{L}[\p{L}\d-]+$/u.test(host) ? host : undefined;
}

function suspicionOf(
  scheme: string,
  authority: string,
  host: string,
  isAddress: boolean,
): string | undefined {
  if (isAddress) return isOwnMachine(host) ? undefined : "an IP address instead of a name";
  if (/^(?:gopher|ldaps?|rmi|jar|smb|dict|tftp|telnet)$/.test(scheme)) {
    return `the scheme ${scheme}`;
  }
  if (authority.includes("@") && !/^(?:git\+)?ssh$/.test(scheme)) {
    return "a user name before the host";
  }
  if (/(?:^|\.)xn--/.test(host) || /[^\x21-\x7e]/.test(host)) {
    return "non-ASCII letters in the host name";
  }
  return suspicionOfHost(host);
}

/** Whether a host is an IPv6 address, or an IPv4 address in a notation that resolvers accept. */
function isIpAddress(host: string): boolean {
  return /^(?:(?:0x[0-9a-f]+|\d+)\.){3}(?:0x[0-9a-f]+|\d+)$|^0x[0-9a-f]{7,8}$|^\d{8,10}$/.test(
    host,
  ) ||
    /^\[[0-9a-f:.]{2,45}\]$/.test(host);
}

function isOwnMachine(host: string): boolean {
  return /^127\.\d+\.\d+\.\d+$|^0\.0\.0\.0$|^\[::1?\]$/.test(host);
}

function suspicionOfHost(host: string): string | undefined {
  const labels = host.split(".");
  return labels.map((_, index) => SUSPICIOUS_HOSTS.get(labels.slice(index).join(".")))
    .find((suspicion) => suspicion !== undefined);
}
