/** `deno task docs`: writes what `strongroom help` says into docs/reference/commands.md. */

import { fileURLToPath } from "node:url";
import { usageOf } from "../../cli/help.ts";
import { USAGES } from "../../cli/usage.ts";

/** Not that of the servers of tests, which need more permissions than this program. */
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export const COMMANDS_PATH = "docs/reference/commands.md";

/** The last line of the part that people write. */
const END = "`deno task docs` writes this part.\n";

/** The document with the help of every command. */
export function withHelp(markdown: string): string {
  const sections = Object.keys(USAGES).map((name) =>
    `\n### strongroom ${name}\n\n` +
    `\`\`\`sh\nstrongroom help ${name}\n\`\`\`\n\n` +
    `\`\`\`text\n${usageOf(name)}\n\`\`\`\n`
  );
  return markdown.slice(0, markdown.indexOf(END) + END.length) + sections.join("");
}

if (import.meta.main) {
  const path = ROOT + COMMANDS_PATH;
  await Deno.writeTextFile(path, withHelp(await Deno.readTextFile(path)));
}
