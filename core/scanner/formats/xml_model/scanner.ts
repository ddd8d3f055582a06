import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import { Checklist, type Finding } from "../../contract/checklist.ts";
import { fetchesAndRuns, findLinks } from "../../knowledge/links.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import { findSecrets } from "../../knowledge/secrets/find_secrets.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import { decodeLatin1, utf8FromLatin1 } from "../../readers/bytes/bytes.ts";
import { utf8Source } from "../../readers/bytes/utf8_source.ts";
import { readXml, resolveReferences, type XmlToken } from "../../readers/xml/read_xml.ts";
import { MIB } from "../../../../schemas/units.ts";

const CHECKS = {
  "XML Structure": "The XML was read from its beginning to its end",
  "XML Entity": "No entity and no document type is declared",
  "XML Reference": "Nothing outside is referred to",
  "Script Text": "No text of a script is in it",
  "Custom Layer": "No layer comes with code of its own",
  "Credential": "No credential is in it",
} as const;

const HEAD = 4096;

/** How much of a model in XML is read, in bytes. */
const XML_BYTES = 64 * MIB;

const SCRIPT =
  /<\s{0,4}script\b|\bjavascript:|\b(?:eval|exec|execfile|compile|__import__)\s{0,4}\(|\bos\.(?:system|popen|exec|spawn)|\bsubprocess\b|^\s{0,20}import\s+(?:os|sys|socket|ctypes|pickle)\b|\bRuntime\.getRuntime\b|\bProcessBuilder\b/m;

const ENCODINGS =
  /^(?:utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|utf-?16(?:le|be)?)$/i;

/** The scanner of models in XML: OpenVINO and PMML. */
export const xmlModelScanner: Scanner = {
  id: "xml_model",
  matches({ name, source }) {
    if (/\.(?:xml|pmml)$/i.test(name)) return true;
    const head = decodeLatin1(utf8Source(source).source.read(0, HEAD));
    return /^\s*<(?:\?xml|PMML|net)\b/.test(head) &&
      !/\.(?:svg|html?|xhtml|plist|xsl|xsd)$/i.test(name);
  },
  *scan({ name, source }) {
    yield* new XmlScan(/\.pmml$/i.test(name)).checks(source);
  },
};

class XmlScan {
  readonly #checks = new Checklist(CHECKS);
  /** Whether a loader of models reads this. */
  #isModel: boolean;
  #docType: Finding | undefined;
  #begun = false;

  constructor(isModel: boolean) {
    this.#isModel = isModel;
  }

  *checks(source: Content["source"]): Generator<Check, void, void> {
    const text = utf8Source(source);
    const { size } = text.source;
    const incomplete = size > XML_BYTES ? "text_too_large" : text.incomplete;
    if (incomplete !== undefined) yield* this.#incomplete(incomplete);
    for (const token of readXml(decodeLatin1(text.source.read(0, XML_BYTES)))) {
      yield* this.#take(token);
    }
    if (!this.#begun && size > 0) yield* this.#incomplete("malformed_xml");
    yield* this.#docTypeFound();
    yield* this.#checks.finish();
  }

  *#take(token: XmlToken): Generator<Check, void, void> {
    switch (token.kind) {
      case "element":
        return yield* this.#element(token);
      case "text":
      case "comment":
        return yield* this.#text(utf8FromLatin1(token.text), token.position);
      case "declaration":
        return yield* this.#declaration(token);
      case "instruction":
        return yield* this.#instruction(token);
      case "cut":
        return yield* this.#incomplete("markup_too_long", token.position);
      case "broken":
        return yield* this.#incomplete("malformed_xml", token.position);
      case "end":
        return;
    }
  }

  *#element(token: XmlToken & { readonly kind: "element" }): Generator<Check, void, void> {
    const local = localName(token.name);
    if (!this.#begun) this.#isModel ||= local === "net" || local === "PMML";
    this.#begun = true;
    if (local === "include" && token.attributes.some(([name]) => name === "href")) {
      const message = "Another document is included into this one";
      yield* this.#found("XML Reference", "critical", message, token.position);
    }
    if (local === "script") {
      yield* this.#found("Script Text", "critical", "A script element is in it", token.position);
    }
    for (const [name, value] of token.attributes) {
      yield* this.#attribute(local, localName(name), utf8FromLatin1(value), token.position);
    }
  }

  *#attribute(
    element: string,
    name: string,
    value: string,
    position: number,
  ): Generator<Check, void, void> {
    const isLayer = element === "layer" || element === "data";
    if (isLayer && (name === "library" || name === "implementation") && value !== "") {
      const message = `A layer names code of its own: ${name}=${redactedQuote(value)}`;
      yield* this.#found("Custom Layer", "critical", message, position);
    }
    if (element === "layer" && name === "type" && /python|pyop|pyfunc/i.test(value)) {
      const message = `A layer is of the type ${redactedQuote(value)}, which runs code`;
      yield* this.#found("Custom Layer", "critical", message, position);
    }
    yield* this.#text(
      value,
      position,
      /^(?:xmlns|schemaLocation|noNamespaceSchemaLocation)/.test(name),
    );
  }

  *#text(text: string, position: number, isNamespace = false): Generator<Check, void, void> {
    const plain = resolveReferences(text);
    if (SCRIPT.test(plain) || fetchesAndRuns(plain)) {
      const message = `The text of a script is in it: ${redactedQuote(plain)}`;
      yield* this.#found("Script Text", "warning", message, position);
    }
    for (const secret of findSecrets(plain)) {
      yield* this.#checks.emit("Credential", secretFinding(secret, position));
    }
    if (isNamespace) return;
    for (const { target, suspicion } of findLinks(plain)) {
      const severity = suspicion === undefined ? "info" : "warning";
      const about = suspicion === undefined ? "" : `: ${suspicion}`;
      yield* this.#found("XML Reference", severity, `A link leads to ${target}${about}`, position);
    }
  }

  *#declaration(
    { name, text, position }: XmlToken & { readonly kind: "declaration" | "instruction" },
  ) {
    if (name === "DOCTYPE") {
      const message = `A document type is declared: ${redactedQuote(text)}`;
      this.#docType ??= { severity: "critical", ruleCode: "S902", message, position };
    } else if (name === "ENTITY") {
      const message = `An entity is declared: ${redactedQuote(text)}`;
      yield* this.#found("XML Entity", "critical", message, position);
    } else {
      const message = `A declaration is in it: ${redactedQuote(text)}`;
      yield* this.#found("XML Entity", "warning", message, position);
    }
  }

  *#docTypeFound(): Generator<Check, void, void> {
    if (this.#docType === undefined) return;
    const severity = this.#isModel ? "critical" : "info";
    yield* this.#checks.emit("XML Entity", { ...this.#docType, severity });
  }

  *#instruction(
    { name, text, position }: XmlToken & { readonly kind: "declaration" | "instruction" },
  ) {
    if (name === "xml-stylesheet") {
      const message = "A style sheet is to be applied, which can run code";
      yield* this.#found("XML Reference", "warning", message, position);
    }
    const encoding = /\bencoding\s{0,4}=\s{0,4}["']([^"']{1,60})/.exec(text)?.[1];
    if (name !== "xml" || encoding === undefined || ENCODINGS.test(encoding)) return;
    yield* this.#checks.emit("XML Structure", {
      severity: "warning",
      ruleCode: "S902",
      message: `The text is in an encoding that was not read: ${redactedQuote(encoding)}`,
      position,
      incomplete: "unsupported_encoding",
    });
  }

  *#found(
    name: keyof typeof CHECKS,
    severity: Finding["severity"],
    message: string,
    position: number,
  ): Generator<Check, void, void> {
    const ruleCode = name === "Custom Layer" ? "S810" : name === "Script Text" ? "S507" : "S902";
    yield* this.#checks.emit(name, { severity, ruleCode, message, position });
  }

  *#incomplete(incomplete: string, position = 0): Generator<Check, void, void> {
    yield* this.#checks.emit("XML Structure", {
      severity: "info",
      ruleCode: "S902",
      message: `The XML was not read through to its end: ${incomplete}`,
      position,
      incomplete,
      operational: incomplete.endsWith("_too_large") || incomplete.endsWith("_too_long"),
    });
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
