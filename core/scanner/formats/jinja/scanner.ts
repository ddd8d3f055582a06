import { Checklist } from "../../contract/checklist.ts";
import type { Scanner } from "../../contract/scanner.ts";
import { addTemplateChecks, TEMPLATE_CHECK } from "../../templates/template_checks.ts";
import { formatBytes, MIB } from "../../../../schemas/units.ts";

/** How much of a template file is read, which is more than a template may have. */
const MAX_TEMPLATE_FILE_BYTES = MIB;

/** Scans Jinja template files, such as `chat_template.jinja`. */
export const jinjaScanner: Scanner = {
  id: "jinja",
  matches: ({ name }) => /\.(?:jinja2?|j2)$/i.test(name),
  *scan({ source }) {
    const checks = new Checklist();
    // Invalid UTF-8 becomes U+FFFD, which no name contains.
    const text = new TextDecoder().decode(source.read(0, MAX_TEMPLATE_FILE_BYTES));
    addTemplateChecks(text, "The file", checks);
    if (source.size > MAX_TEMPLATE_FILE_BYTES) {
      checks.add(TEMPLATE_CHECK, {
        message: `Only the first ${formatBytes(MAX_TEMPLATE_FILE_BYTES)} of the file were checked`,
        severity: "info",
        incomplete: "template_too_long",
        operational: true,
      });
    }
    yield* checks.finish();
  },
};
