import { judgeCallable } from "./callables.ts";

/** The danger of a tag. */
export interface TagVerdict {
  readonly severity: "critical";
  /** What the tag makes a loader do, after "Tag X". */
  readonly effect: string;
}

/** Python tags that construct plain values in every loader. */
const PLAIN_PYTHON =
  /^tag:yaml\.org,2002:python\/(?:none|bool|bytes|str|unicode|int|long|float|complex|list|tuple|dict)$/;

const CORE =
  /^tag:yaml\.org,2002:(?:map|seq|str|null|bool|int|float|binary|timestamp|set|omap|pairs|merge|value|yaml)$/;

/** Judges a resolved tag (S115): one that constructs Python, Java, Ruby or PHP objects is critical. */
export function judgeTag(tag: string): TagVerdict | undefined {
  if (PLAIN_PYTHON.test(tag) || CORE.test(tag)) return undefined;
  if (/^tag:yaml\.org,2002:python\b/.test(tag)) {
    return { severity: "critical", effect: "makes PyYAML import or call Python code" };
  }
  if (/^!?(?:tag:)?ruby[/:]|^!php[/:]|^tag:ruby\.yaml\.org/.test(tag)) {
    return { severity: "critical", effect: "makes a Ruby or PHP loader construct an object" };
  }
  if (/^tag:yaml\.org,2002:[a-z_]\w*(?:\.\w+)+/.test(tag)) {
    return { severity: "critical", effect: "makes a Java loader construct an object" };
  }
  const called = /^!(?:new|apply|name|module):(.+)$/.exec(tag)?.[1];
  if (called === undefined || judgeCallable(called) !== "dangerous") return undefined;
  return { severity: "critical", effect: "makes HyperPyYAML call a dangerous function" };
}
