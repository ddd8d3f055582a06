import { Checklist } from "../../contract/checklist.ts";
import type { Scanner } from "../../contract/scanner.ts";
import { addTemplateChecks, TEMPLATE_CHECK } from "../../templates/template_checks.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Bytes of a template file that are read, more than a template may have. */
const FILE_SIZE = MIB;

/** Checks files that are Jinja templates, such as `chat_template.jinja`. */
export const jinjaScanner: Scanner = {
  id: "jinja",
  matches: ({ name }) => /\.(?:jinja2?|j2)$/i.test(name),
  *scan({ source }) {
    const checks = new Checklist();
    // Bytes that are no UTF-8 become replacement characters, which no name has.
    const text = new TextDecoder().decode(source.read(0, FILE_SIZE));
    addTemplateChecks(text, "The file", checks);
    if (source.size > FILE_SIZE) {
      checks.add(TEMPLATE_CHECK, {
        message: `The file has ${source.size} bytes, of which ${FILE_SIZE} were read`,
        severity: "info",
        incomplete: "template_too_long",
        operational: true,
      });
    }
    yield* checks.finish();
  },
};
