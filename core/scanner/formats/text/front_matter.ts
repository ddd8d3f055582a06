import { readYaml } from "../../readers/yaml/read_yaml.ts";

/** The licence ids that the front matter of a model card names. */
export function licensesOfFrontMatter(head: string): string[] {
  const matter = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(head)?.[1];
  if (matter === undefined) return [];
  const ids: string[] = [];
  for (const event of readYaml(matter)) {
    if (event.kind !== "value" || typeof event.value !== "string") continue;
    if (/^licen[sc]e(?:_name)?$/.test(event.path.join("."))) ids.push(event.value);
    if (ids.length >= 10) break;
  }
  return ids;
}
