import { AccessRules } from "./access.ts";
import { ExhaustionRules } from "./exhaustion.ts";
import { ExpressionReader } from "./expression.ts";
import { type TemplateFinding, TemplateFindings } from "./finding.ts";
import { type Token, tokenize } from "./tokens.ts";
import { type TemplateValue, textValue, UNKNOWN_VALUE } from "./value.ts";

export type { TemplateFinding } from "./finding.ts";

/** Characters of a template that are checked. */
const MAX_TEMPLATE_CHARACTERS = 256 * 1024;

/**
 * Finds what a Jinja template accesses beyond its variables (CVE-2024-34359): dunder attributes and
 * items, whether written out, escaped or assembled; filters that name them; functions and modules of
 * Python. Also finds what the template repeats more often than any text needs. Printed text and comments
 * yield no findings.
 */
export function checkTemplate(text: string): TemplateFinding[] {
  const findings = new TemplateFindings();
  const { tokens, malformedPosition } = tokenize(
    text.slice(0, MAX_TEMPLATE_CHARACTERS),
  );
  if (text.length > MAX_TEMPLATE_CHARACTERS) {
    findings.add({
      severity: "info",
      message: `Only ${MAX_TEMPLATE_CHARACTERS} of ${text.length} characters were checked`,
      position: MAX_TEMPLATE_CHARACTERS,
      incomplete: "template_too_long",
      operational: true,
    });
  } else if (malformedPosition !== undefined) {
    findings.add({
      severity: "info",
      message: "The template is malformed",
      position: malformedPosition,
      incomplete: "template_malformed",
    });
  }
  // A macro can be called after the variables that it uses are set, so collect the variables first.
  const variables = new Variables();
  new TemplateReader(tokens, new TemplateFindings(), variables).read();
  variables.complete = true;
  new TemplateReader(tokens, findings, variables).read();
  return findings.all();
}

class TemplateReader {
  readonly #reader: ExpressionReader;
  readonly #rules: AccessRules;
  readonly #exhaustion: ExhaustionRules;
  readonly #variables: Variables;
  /** How many open blocks make a value of the text in them. */
  #blocks = 0;

  constructor(tokens: readonly Token[], findings: TemplateFindings, variables: Variables) {
    this.#variables = variables;
    this.#rules = new AccessRules(
      findings,
      (name) => variables.macros.has(name),
      (name) => variables.isAssigned(name),
    );
    this.#exhaustion = new ExhaustionRules(findings);
    this.#reader = new ExpressionReader(tokens, {
      rules: this.#rules,
      exhaustion: this.#exhaustion,
      valueOf: (name) => variables.valueOf(name),
      onAttributeAssigned: (name) => void variables.attributes.add(name),
      onTooDeep: (position) => {
        const message = "The template is nested too deeply to be checked";
        findings.add({
          severity: "info",
          message,
          position,
          incomplete: "template_too_deep",
          operational: true,
        });
      },
    });
  }

  read(): void {
    for (let token = this.#reader.next(); token; token = this.#reader.next()) {
      if (token.kind === "print") this.#reader.readToEnd();
      if (token.kind === "data" && this.#blocks > 0) this.#rules.block(token.text, token.position);
      if (token.kind === "statement") this.#statement();
    }
    this.#rules.end();
  }

  #statement(): void {
    const tag = this.#reader.peek();
    if (tag?.kind !== "name") return void this.#reader.readToEnd();
    this.#reader.next();
    switch (tag.text) {
      case "set":
        return this.#set();
      case "for":
        return this.#for(tag.position);
      case "endfor":
        this.#exhaustion.leaveLoop();
        return void this.#reader.readToEnd();
      case "macro":
        this.#blocks++;
        return this.#macro();
      case "call":
        this.#blocks++;
        return this.#declare();
      case "endmacro":
      case "endcall":
      case "endfilter":
      case "endset":
        this.#blocks = Math.max(0, this.#blocks - 1);
        return void this.#reader.readToEnd();
      case "with":
      case "import":
      case "from":
        return this.#declare();
      case "filter":
        this.#blocks++;
        return this.#reader.readBlockFilter();
      default:
        this.#reader.readToEnd();
    }
  }

  #set(): void {
    const targets = this.#names();
    const hasValue = this.#reader.take("=");
    const values = this.#reader.readToEnd();
    const [name] = targets;
    if (targets.length !== 1 || name === undefined) {
      for (const target of targets) this.#assign(target, UNKNOWN_VALUE);
    } else if (hasValue) {
      this.#assign(name, values.length === 1 ? values[0] ?? UNKNOWN_VALUE : UNKNOWN_VALUE);
    } else this.#assign(name, values.length === 0 ? this.#block() : UNKNOWN_VALUE);
  }

  /** Enters `{% set name %}text{% endset %}`. Returns its text if it contains nothing else. */
  #block(): TemplateValue {
    this.#blocks++;
    const [data, statement, tag] = [1, 2, 3].map((ahead) => this.#reader.peek(ahead));
    const ends = statement?.kind === "statement" && tag?.kind === "name" && tag.text === "endset";
    return data?.kind === "data" && ends ? textValue(data.text) : UNKNOWN_VALUE;
  }

  #for(position: number): void {
    for (const name of this.#names()) this.#assign(name, UNKNOWN_VALUE);
    this.#reader.take("in");
    const [over] = this.#reader.readToEnd();
    this.#exhaustion.enterLoop(over, position);
  }

  #macro(): void {
    const name = this.#reader.peek();
    if (name?.kind === "name") this.#variables.macros.add(name.text);
    this.#reader.next();
    this.#declare();
  }

  /** Reads a statement that assigns names: parameters, `name=value` and `as name`. */
  #declare(): void {
    let before = "";
    for (let ahead = 0;; ahead++) {
      const token = this.#reader.peek(ahead);
      if (token === undefined || token.kind === "end") break;
      const text = token.kind === "name" || token.kind === "operator" ? token.text : "";
      const after = this.#reader.peek(ahead + 1);
      const isAssigned = after?.kind === "operator" && after.text === "=";
      if (token.kind === "name" && (isAssigned || ["(", ",", "as"].includes(before))) {
        this.#assign(text, UNKNOWN_VALUE);
      }
      before = text;
    }
    this.#reader.readToEnd();
  }

  #names(): readonly string[] {
    const names: string[] = [];
    for (let token = this.#reader.peek(); token; token = this.#reader.peek()) {
      const comma = token.kind === "operator" && (token.text === "," || token.text === "(");
      if (!comma && (token.kind !== "name" || token.text === "in")) break;
      if (token.kind === "name") names.push(token.text);
      this.#reader.next();
    }
    return names;
  }

  #assign(name: string, value: TemplateValue): void {
    this.#variables.assign(name, value);
  }
}

/** The variables of a template. Only those that are assigned once have a known value. */
class Variables {
  readonly macros = new Set<string>();
  /** Names of attributes that the template assigns to its own objects. */
  readonly attributes = new Set<string>();
  /** Set when all assignments are collected; later ones are ignored. */
  complete = false;
  readonly #values = new Map<string, TemplateValue>();

  /** Whether the template assigns the name, or an attribute of that name. */
  isAssigned(name: string): boolean {
    return this.#values.has(name) || this.attributes.has(name);
  }

  valueOf(name: string): TemplateValue | undefined {
    return this.#values.get(name);
  }

  assign(name: string, value: TemplateValue): void {
    if (this.complete) return;
    this.#values.set(name, this.#values.has(name) ? UNKNOWN_VALUE : value);
  }
}
