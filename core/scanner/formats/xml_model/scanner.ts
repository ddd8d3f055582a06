import { redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import { Checklist, type Finding } from "../../contract/checklist.ts";
import { findLinks, runsDownload } from "../../knowledge/links.ts";
import {
  builtinNames,
  moduleNames,
  ofDangers,
  qualifiedNames,
} from "../../knowledge/python/python_code.ts";
import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import { findSecrets } from "../../knowledge/secrets/find_secrets.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { utf8FromLatin1 } from "../../readers/bytes/latin1_text.ts";
import { utf8Source } from "../../readers/bytes/utf8_source.ts";
import { readXml, resolveReferences, type XmlToken } from "../../readers/xml/read_xml.ts";
import { MIB } from "../../../../schemas/units.ts";

const CHECKS = {
  "XML Structure": "The whole XML document was read",
  "XML Entity": "No entity or document type is declared",
  "XML Reference": "The document refers to nothing outside of it",
  "Script Text": "No script text found",
  "Custom Layer": "No layer brings its own code",
  "Credential": "No credentials found",
} as const;

const HEAD_BYTES = 4096;

/** How much of an XML document is read. */
const MAX_XML_BYTES = 64 * MIB;

const MODULES = moduleNames("variable", () => true);

const SCRIPT = new RegExp(
  [
    String.raw`<\s{0,4}script\b|\bjavascript:|\bRuntime\.getRuntime\b|\bProcessBuilder\b`,
    String.raw`\b${builtinNames(ofDangers("code", "import"))}\s{0,4}\(`,
    String.raw`\b${
      qualifiedNames((entry) => ofDangers("shell", "process")(entry) && entry.rule === "S101")
    }`,
    String.raw`\bsubprocess\b`,
    String.raw`^\s{0,20}(?:import\s+${MODULES}\b|from\s+${MODULES}[\w.]{0,100}\s+import\b)`,
  ].join("|"),
  "m",
);

/** Declared encodings whose ASCII characters are read correctly. */
const ENCODINGS =
  /^(?:utf-?8|us-ascii|ascii|iso-8859-\d{1,2}|latin-?1|windows-125\d|utf-?16(?:le|be)?)$/i;

/** Scans models in XML: OpenVINO and PMML. */
export const xmlModelScanner: Scanner = {
  id: "xml_model",
  matches({ name, source }) {
    if (/\.(?:xml|pmml)$/i.test(name)) return true;
    const head = decodeLatin1(utf8Source(source).source.read(0, HEAD_BYTES));
    return /^\s*<(?:\?xml|PMML|net)\b/.test(head) &&
      !/\.(?:svg|html?|xhtml|plist|xsl|xsd)$/i.test(name);
  },
  *scan({ name, source }) {
    yield* new XmlScan(/\.pmml$/i.test(name)).checks(source);
  },
};

class XmlScan {
  readonly #checks = new Checklist(CHECKS);
  /** Whether a model loader reads the document. */
  #isModel: boolean;
  #docType: Finding | undefined;
  #begun = false;

  constructor(isModel: boolean) {
    this.#isModel = isModel;
  }

  *checks(source: Content["source"]): Generator<Check, void, void> {
    const text = utf8Source(source);
    const { size } = text.source;
    const incomplete = size > MAX_XML_BYTES ? "text_too_large" : text.incomplete;
    if (incomplete !== undefined) yield* this.#incomplete(incomplete);
    for (const token of readXml(decodeLatin1(text.source.read(0, MAX_XML_BYTES)))) {
      yield* this.#token(token);
    }
    if (!this.#begun && size > 0) yield* this.#incomplete("malformed_xml");
    yield* this.#emitDocType();
    yield* this.#checks.finish();
  }

  *#token(token: XmlToken): Generator<Check, void, void> {
    switch (token.kind) {
      case "element":
        return yield* this.#element(token);
      case "text":
      case "comment":
        return yield* this.#text(resolveReferences(utf8FromLatin1(token.text)), token.position);
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
      const message = "Another document is included";
      yield* this.#emit("XML Reference", "critical", message, token.position);
    }
    if (local === "script") {
      yield* this.#emit("Script Text", "critical", "Script element", token.position);
    }
    for (const [name, value] of token.attributes) {
      const plain = resolveReferences(utf8FromLatin1(value));
      yield* this.#attribute(local, localName(name), plain, token.position);
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
      const message = `Layer brings its own code: ${name}=${redactedQuote(value)}`;
      yield* this.#emit("Custom Layer", "critical", message, position);
    }
    if (element === "layer" && name === "type" && /python|pyop|pyfunc/i.test(value)) {
      const message = `Layer of type ${redactedQuote(value)} runs code`;
      yield* this.#emit("Custom Layer", "critical", message, position);
    }
    yield* this.#text(
      value,
      position,
      /^(?:xmlns|schemaLocation|noNamespaceSchemaLocation)/.test(name),
    );
  }

  /** @param plain Text without references. */
  *#text(plain: string, position: number, isNamespace = false): Generator<Check, void, void> {
    if (SCRIPT.test(plain) || runsDownload(plain)) {
      const message = `Script text: ${redactedQuote(plain)}`;
      yield* this.#emit("Script Text", "warning", message, position);
    }
    for (const secret of findSecrets(plain)) {
      yield* this.#checks.emit("Credential", secretFinding(secret, position));
    }
    if (isNamespace) return;
    for (const { target, suspicion } of findLinks(plain)) {
      const severity = suspicion === undefined ? "info" : "warning";
      const about = suspicion === undefined ? "" : `: ${suspicion}`;
      yield* this.#emit("XML Reference", severity, `Link to ${target}${about}`, position);
    }
  }

  *#declaration(
    { name, text, position }: XmlToken & { readonly kind: "declaration" | "instruction" },
  ) {
    if (name === "DOCTYPE") {
      const message = `Document type declaration: ${redactedQuote(text)}`;
      this.#docType ??= { severity: "critical", ruleCode: "S902", message, position };
    } else if (name === "ENTITY") {
      const message = `Entity declaration: ${redactedQuote(text)}`;
      yield* this.#emit("XML Entity", "critical", message, position);
    } else {
      const message = `Declaration: ${redactedQuote(text)}`;
      yield* this.#emit("XML Entity", "warning", message, position);
    }
  }

  *#emitDocType(): Generator<Check, void, void> {
    if (this.#docType === undefined) return;
    const severity = this.#isModel ? "critical" : "info";
    yield* this.#checks.emit("XML Entity", { ...this.#docType, severity });
  }

  *#instruction(
    { name, text, position }: XmlToken & { readonly kind: "declaration" | "instruction" },
  ) {
    if (name === "xml-stylesheet") {
      const message = "Style sheet reference; applying it can run code";
      yield* this.#emit("XML Reference", "warning", message, position);
    }
    const encoding = /\bencoding\s{0,4}=\s{0,4}["']([^"']{1,60})/.exec(text)?.[1];
    if (name !== "xml" || encoding === undefined || ENCODINGS.test(encoding)) return;
    yield* this.#checks.emit("XML Structure", {
      severity: "warning",
      ruleCode: "S902",
      message: `Unsupported encoding: ${redactedQuote(encoding)}`,
      position,
      incomplete: "unsupported_encoding",
    });
  }

  *#emit(
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
      message: `The XML was not read to its end: ${incomplete}`,
      position,
      incomplete,
      operational: incomplete.endsWith("_too_large") || incomplete.endsWith("_too_long"),
    });
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
