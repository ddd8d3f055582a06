import { judgeCallable } from "./callables.ts";

/** What a tag makes a parser do. */
export interface TagVerdict {
  readonly severity: "info" | "critical";
  readonly effect: string;
}

/** Tags of Python that make plain values, whatever the loader. */
const PLAIN =
  /^tag:yaml\.org,2002:python\/(?:none|bool|bytes|str|unicode|int|long|float|complex|list|tuple|dict)$/;

const CORE =
  /^tag:yaml\.org,2002:(?:map|seq|str|null|bool|int|float|binary|timestamp|set|omap|pairs|merge|value|yaml)$/;

/** Judges a tag in full (S115): those that make objects of Python, Java, Ruby or PHP are critical. */
export function judgeTag(tag: string): TagVerdict | undefined {
  if (PLAIN.test(tag) || CORE.test(tag)) return undefined;
  if (/^tag:yaml\.org,2002:python\b/.test(tag)) {
    return { severity: "critical", effect: "makes a loader of Python import or call something" };
  }
  if (/^!?(?:tag:)?ruby[/:]|^!php[/:]|^tag:ruby\.yaml\.org/.test(tag)) {
    return { severity: "critical", effect: "makes a loader of Ruby or PHP make an object" };
  }
  if (/^tag:yaml\.org,2002:[a-z_]\w*(?:\.\w+)+/.test(tag)) {
    return { severity: "critical", effect: "makes a loader of Java make an object" };
  }
  const called = /^!(?:new|apply|name|module):(.+)$/.exec(tag)?.[1];
  if (called === undefined || judgeCallable(called) !== "dangerous") return undefined;
  return { severity: "critical", effect: "makes HyperPyYAML call something dangerous" };
}
