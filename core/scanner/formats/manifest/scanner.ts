import { redactedExcerpt, redactedQuote } from "../../knowledge/secrets/redacted_excerpt.ts";
import { Checklist } from "../../contract/checklist.ts";
import { fileNameOf } from "../../contract/names.ts";
import { licensesOfExpression } from "../../knowledge/licenses/recognize.ts";
import { addLicenseMetadata, licenseFindings } from "../../knowledge/licenses/findings.ts";
import { DeclaredFacts } from "../../knowledge/declared_facts.ts";
import { codeReferences } from "./code_references.ts";
import type {
  DocumentEntry,
  DocumentEvent,
  YamlAliases,
  YamlTag,
} from "../../readers/document_event.ts";
import { findLinks, runsDownload } from "../../knowledge/links.ts";
import { kerasCode } from "./keras_yaml.ts";
import { jsonPickleFindings } from "./jsonpickle.ts";
import { LangChainObjects } from "./langchain.ts";
import { modelReferences } from "./model_references.ts";
import { type ManifestLanguage, manifestLanguage, readManifest } from "./read_manifest.ts";
import { type CheckTemplate, isTemplate, templateFindings } from "./template_values.ts";
import { weakHash } from "../../knowledge/weak_hash.ts";
import { judgeTag } from "./yaml_tag_verdict.ts";
import type { Check, ScanContext, Scanner } from "../../contract/scanner.ts";
import { findSecrets, secretsOfValue } from "../../knowledge/secrets/find_secrets.ts";
import { secretFinding } from "../../knowledge/secrets/secret_finding.ts";

/** The dependencies of the manifest scanner. */
export interface ManifestDependencies {
  /** Checks the templates in a manifest. */
  readonly checkTemplate: CheckTemplate;
}

const CHECKS = {
  "Manifest Structure": "The whole manifest was read",
  "Remote Code": "Nothing asks the loader to run code from the repository",
  "Import Target": "No dangerous Python name is an import target",
  "File Reference": "No file of the model is outside of its folder",
  "YAML Tag": "No tag makes a loader run code",
  "Chat Template": "No template accesses more than its variables",
  "Manifest Link": "No links found",
  "Manifest Command": "No command downloads something and runs it",
  "Weak Hash": "No MD5 or SHA-1 is used for integrity",
  "Credential": "No credentials found",
  "License": "No license that restricts the use or asks for source code was recognized",
} as const;

type ManifestChecklist = Checklist<keyof typeof CHECKS>;

/** Top-level keys that the asset lists. */
const MAX_ASSET_KEYS = 1000;

/** Ordinary links that are remembered, to report each of them once. */
const MAX_REMEMBERED_LINKS = 1000;

/** License IDs that are read from the `license` key. */
const MAX_LICENSES = 10;

/** More scalars than this from the aliases of a YAML document are an attempt to exhaust memory. */
const MAX_ALIASED_SCALARS = 100_000;

/** Scans JSON, YAML and TOML manifests, such as `config.json` and `tokenizer_config.json`. */
export function manifestScanner({ checkTemplate }: ManifestDependencies): Scanner {
  return {
    id: "manifest",
    matches: (content) => manifestLanguage(content) !== undefined,
    *scan(content, context) {
      const language = manifestLanguage(content) ?? "json";
      const scan = new ManifestScan(content.name, language, checkTemplate);
      for (const event of readManifest(content.source, language)) yield* scan.take(event);
      yield* scan.finish(context);
    },
  };
}

/** A model has fewer files. A manifest with more digests is a database: its loader checks none of them. */
const MAX_OWN_FILES = 100;

/** A weak hash that a value relies on. */
interface WeakHash {
  readonly key: string;
  readonly hash: string;
  readonly position: number;
}

class ManifestScan {
  readonly #fileName: string;
  readonly #language: ManifestLanguage;
  readonly #checkTemplate: CheckTemplate;
  readonly #declared: DeclaredFacts | undefined;
  readonly #checks: ManifestChecklist = new Checklist(CHECKS);
  readonly #langChain = new LangChainObjects();
  readonly #keys = new Set<string>();
  readonly #links = new Set<string>();
  readonly #licenses = new Set<string>();
  /** The weak hashes, unless there are more than a model has files. */
  readonly #listedHashes: WeakHash[] = [];
  #weakHashes = 0;

  constructor(name: string, language: ManifestLanguage, checkTemplate: CheckTemplate) {
    this.#fileName = fileNameOf(name);
    this.#language = language;
    this.#declared = DeclaredFacts.ofFile(this.#fileName);
    this.#checkTemplate = checkTemplate;
  }

  *take(event: DocumentEvent): Generator<Check, void, void> {
    switch (event.kind) {
      case "defect": {
        const { kind: _, ...finding } = event;
        return yield* this.#checks.emit("Manifest Structure", { ...finding, ruleCode: "S902" });
      }
      case "tag":
        return yield* this.#tag(event);
      case "aliases":
        return yield* this.#aliases(event);
      case "comment":
        return yield* this.#secrets(event);
      case "key":
        this.#key(event);
        return yield* this.#secrets(event);
      case "value":
        return yield* this.#value(event);
    }
  }

  *finish(context: ScanContext): Generator<Check, void, void> {
    yield* this.#weakHash();
    for (const finding of this.#langChain.findings()) {
      yield* this.#checks.emit("Import Target", finding);
    }
    if (this.#keys.size > 0) context.addAssetParts({ keys: [...this.#keys] });
    const licenses = [...this.#licenses].flatMap((id) => licensesOfExpression(id, "metadata"));
    addLicenseMetadata(context, licenses, []);
    if (this.#declared !== undefined) context.addFacts(this.#declared.facts);
    for (const finding of licenseFindings(licenses)) yield* this.#checks.emit("License", finding);
    yield* this.#checks.finish();
  }

  *#weakHash(): Generator<Check, void, void> {
    const ruleCode = "S1002";
    for (const { key, hash, position } of this.#listedHashes) {
      const message = `Key ${key} relies on ${hash}`;
      yield* this.#checks.emit("Weak Hash", { severity: "warning", ruleCode, message, position });
    }
    if (this.#weakHashes <= MAX_OWN_FILES) return;
    const message = `A database with ${this.#weakHashes} weak hashes of other files`;
    yield* this.#checks.emit("Weak Hash", { severity: "info", ruleCode, message });
  }

  #key({ path, value }: DocumentEntry): void {
    if (path.length > 1 || this.#keys.size >= MAX_ASSET_KEYS) return;
    this.#keys.add(redactedExcerpt(String(value)));
  }

  *#aliases({ expandedScalars, position }: YamlAliases): Generator<Check, void, void> {
    if (expandedScalars <= MAX_ALIASED_SCALARS) return;
    yield* this.#checks.emit("Manifest Structure", {
      severity: "warning",
      ruleCode: "S902",
      message: `Aliases expand to ${expandedScalars.toExponential(0)} values or more`,
      position,
    });
  }

  *#tag({ tag, position }: YamlTag): Generator<Check, void, void> {
    const verdict = judgeTag(tag);
    if (verdict === undefined) return;
    const message = `Tag ${redactedQuote(tag)} ${verdict.effect}`;
    const { severity } = verdict;
    yield* this.#checks.emit("YAML Tag", { severity, ruleCode: "S115", message, position });
  }

  *#value(read: DocumentEntry): Generator<Check, void, void> {
    const entry = withoutLineBreakAtEnd(read);
    this.#declared?.take(entry);
    this.#langChain.take(entry);
    for (const { name, finding } of codeReferences(entry, this.#fileName)) {
      yield* this.#checks.emit(name, finding);
    }
    // Keras configurations in JSON have a scanner of their own.
    const code = this.#language === "yaml" ? kerasCode(entry) : undefined;
    if (code !== undefined) yield* this.#checks.emit("Remote Code", code);
    for (const finding of jsonPickleFindings(entry)) {
      yield* this.#checks.emit("Import Target", finding);
    }
    for (const { name, finding } of modelReferences(entry, this.#fileName)) {
      yield* this.#checks.emit(name, finding);
    }
    if (typeof entry.value !== "string") return;
    yield* this.#text(entry, entry.value);
    yield* this.#secrets(entry);
  }

  *#text(entry: DocumentEntry, text: string): Generator<Check, void, void> {
    const { path, position } = entry;
    const key = path.at(-1) ?? "";
    if (isTemplate(entry)) {
      for (const finding of templateFindings(entry, text, this.#checkTemplate)) {
        yield* this.#checks.emit("Chat Template", finding);
      }
    }
    yield* this.#linksOf(text, position);
    const hash = isOfOwnReport(path) || isOfDataSet(path) ? undefined : weakHash(key, text);
    if (hash !== undefined) {
      this.#weakHashes++;
      if (this.#weakHashes > MAX_OWN_FILES) this.#listedHashes.length = 0;
      else this.#listedHashes.push({ key: redactedQuote(key), hash, position });
    }
    if (path.length === 1 && /^licen[sc]e$/i.test(key) && this.#licenses.size < MAX_LICENSES) {
      this.#licenses.add(text);
    }
  }

  *#linksOf(text: string, position: number): Generator<Check, void, void> {
    if (runsDownload(text)) {
      const message = `Command downloads something and runs it: ${redactedQuote(text)}`;
      yield* this.#checks.emit("Manifest Command", {
        severity: "warning",
        ruleCode: "S504",
        message,
        position,
      });
    }
    for (const { target, suspicion, ruleCode } of findLinks(text)) {
      if (suspicion === undefined && this.#links.has(target)) continue;
      if (this.#links.size < MAX_REMEMBERED_LINKS) this.#links.add(target);
      const message = suspicion === undefined
        ? `Link to ${target}`
        : `Link to ${target}: ${suspicion}`;
      const severity = suspicion === undefined ? "info" : "warning";
      yield* this.#checks.emit("Manifest Link", { severity, ruleCode, message, position });
    }
  }

  *#secrets({ kind, path, value, position }: DocumentEntry): Generator<Check, void, void> {
    if (typeof value !== "string") return;
    const secrets = kind === "value"
      ? secretsOfValue(path.at(-1) ?? "", value)
      : findSecrets(value);
    for (const secret of secrets) {
      yield* this.#checks.emit("Credential", secretFinding(secret, position));
    }
  }
}

/** Whether a key is of the digests in a report of scans (SR), which has a SHA-256 beside them. */
function isOfOwnReport([section, , digests, ...rest]: readonly string[]): boolean {
  return section === "file_metadata" && digests === "file_hashes" && rest.length === 1;
}

/** Whether a key is of OpenML's description of a data set, which names no file that a model consists of. */
function isOfDataSet([section, ...rest]: readonly string[]): boolean {
  return section === "data_set_description" && rest.length === 1;
}

/** Block scalars of YAML end with a line break, which says nothing about the value. */
function withoutLineBreakAtEnd(entry: DocumentEntry): DocumentEntry {
  const { value } = entry;
  const hasOne = typeof value === "string" && value.endsWith("\n");
  return hasOne ? { ...entry, value: value.trimEnd() } : entry;
}
