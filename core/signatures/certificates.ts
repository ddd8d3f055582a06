import type { X509Certificate } from "@sigstore/core";
import { InvalidSignature } from "./trusted.ts";

/** Of a chain. */
const MAX_CERTIFICATES = 10;
const EXTENDED_KEY_USAGE = "2.5.29.37";
const CODE_SIGNING = ["1.3.6.1.5.5.7.3.3", "2.5.29.37.0"];
/** The extensions that are looked at: key usage, names, basic constraints, extended key usage. */
const KNOWN = ["2.5.29.15", "2.5.29.17", "2.5.29.19", EXTENDED_KEY_USAGE];

/** Where a certificate has its subject: after version, serial number, algorithm, issuer and validity. */
const SUBJECT = 5;
const COMMON_NAME = "2.5.4.3";
/** The types of texts that are UTF-8 or a part of it: UTF8String, PrintableString, IA5String. */
const TEXT_TAGS = [12, 19, 22];

/** A certificate that was issued, step by step, by a trusted one. */
export interface TrustedCertificate {
  readonly certificate: X509Certificate;
  /** The first end of the certificates of its path, in milliseconds since the Unix epoch. */
  readonly until: number;
}

/**
 * Finds the path from the certificate of a signer to a trusted one, and checks it as RFC 5280 demands, now: nobody
 * that is trusted says when something was signed.
 *
 * @param chain The certificate of the signer, and those between it and a trusted one in any order.
 * @throws {InvalidSignature}
 */
export function trustedCertificate(
  chain: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  now: number,
): TrustedCertificate {
  const [certificate, ...between] = chain;
  if (certificate === undefined || chain.length > MAX_CERTIFICATES) {
    throw new InvalidSignature(`it has no certificate, or more than ${MAX_CERTIFICATES}`);
  }
  const path = pathOf(certificate, between, roots);
  for (const [index, it] of path.entries()) {
    requireCurrent(it, now);
    requireKnown(it);
    if (index > 0) requireIssuer(it, index - 1);
  }
  requireSigner(certificate);
  return { certificate, until: Math.min(...path.map(({ notAfter }) => notAfter.getTime())) };
}

/** The certificate, then who issued each, up to a trusted one. */
function pathOf(
  certificate: X509Certificate,
  between: readonly X509Certificate[],
  roots: readonly X509Certificate[],
): X509Certificate[] {
  const path = [certificate];
  let unused = between;
  for (let last = certificate;;) {
    if (roots.some((root) => root.equals(last))) return path;
    const root = roots.find((it) => isIssuedBy(last, it));
    if (root !== undefined) return [...path, root];
    const next = unused.find((it) => isIssuedBy(last, it));
    if (next === undefined) {
      throw new InvalidSignature("no trusted certificate has issued that of its signer");
    }
    unused = unused.filter((it) => it !== next);
    path.push(next);
    last = next;
  }
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.subject.equals(certificate.issuer) && certificate.verify(issuer);
}

function requireCurrent({ notBefore, notAfter }: X509Certificate, now: number): void {
  if (notBefore.getTime() > now) {
    throw new InvalidSignature(`a certificate counts from ${dayOf(notBefore)} on`);
  }
  if (notAfter.getTime() < now) {
    throw new InvalidSignature(`a certificate has expired on ${dayOf(notAfter)}`);
  }
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Whoever marks an extension as critical wants all refused that do not know it. */
function requireKnown({ extensions }: X509Certificate): void {
  for (const { subs } of extensions) {
    const oid = subs[0]?.toOID() ?? "";
    const isCritical = subs.length === 3 && subs[1]?.toBoolean() === true;
    if (isCritical && !KNOWN.includes(oid)) {
      throw new InvalidSignature(`a certificate has the critical extension ${oid}`);
    }
  }
}

/** @param below How many issuers are between it and the signer. */
function requireIssuer(
  { extBasicConstraints: constraints, extKeyUsage: usage }: X509Certificate,
  below: number,
): void {
  if (constraints?.isCA !== true || usage?.keyCertSign === false) {
    throw new InvalidSignature("a certificate was issued by one that must not issue any");
  }
  if (constraints.pathLenConstraint !== undefined && constraints.pathLenConstraint < below) {
    throw new InvalidSignature("its chain of certificates is longer than an issuer allows");
  }
}

function requireSigner(certificate: X509Certificate): void {
  const usage = certificate.extKeyUsage;
  const purposes = certificate.extension(EXTENDED_KEY_USAGE)?.valueObj.subs[0]?.subs
    .map((it) => it.toOID());
  const maySign = usage === undefined ? purposes !== undefined : usage.digitalSignature;
  if (!maySign || purposes?.some((it) => CODE_SIGNING.includes(it)) === false) {
    throw new InvalidSignature("the certificate of its signer is not for signatures of code");
  }
}

/** Whom a certificate names: an address or a URI, or else a common name. */
export function identityOf(certificate: X509Certificate): string | undefined {
  return certificate.subjectAltName ?? commonNameOf(certificate);
}

/** Read from the parts of the subject: in a text of all of them, one could look like another. */
function commonNameOf({ root }: X509Certificate): string | undefined {
  const subject = root.subs[0]?.subs[SUBJECT]?.subs.flatMap(({ subs }) => subs) ?? [];
  const name = subject.find(({ subs: [type] }) => type?.toOID() === COMMON_NAME)?.subs[1];
  return name !== undefined && TEXT_TAGS.includes(name.tag.number)
    ? name.value.toString("utf8")
    : undefined;
}
