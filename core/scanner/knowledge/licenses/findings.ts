import type { ScanContext } from "../../contract/scanner.ts";
import type { Finding } from "../../contract/checklist.ts";
import { redact } from "../secrets/find_secrets.ts";
import type { CopyrightNotice } from "./copyright.ts";
import type { License } from "./catalog.ts";
import type { FoundLicense } from "./recognize.ts";

/** Characters of a license text that the metadata repeats. */
const MAX_TEXT_CHARACTERS = 2000;

/**
 * Adds licenses and copyright notices to the file's metadata (SR 2.5, 2.11, 2.12).
 *
 * @param text The text in which licenses were recognized by their wording.
 */
export function addLicenseMetadata(
  context: ScanContext,
  licenses: readonly FoundLicense[],
  notices: readonly CopyrightNotice[],
  text?: string,
): void {
  if (licenses.length > 0) {
    const [first] = licenses;
    context.addMetadata({
      license: first?.license.spdxId ?? first?.license.name,
      license_info: licenses.map((license) => licenseInfo(license, text)),
    });
  }
  if (notices.length > 0) {
    context.addMetadata({ copyright_notices: notices.map(copyrightNotice) });
  }
}

/** The findings about licenses that restrict the use of a model or ask for source code (S1008). */
export function licenseFindings(licenses: readonly FoundLicense[]): Finding[] {
  return licenses.flatMap(({ license }) => {
    const obligation = obligationOf(license);
    if (obligation === undefined) return [];
    return [{ ...obligation, ruleCode: "S1008", message: `License ${license.name}` }];
  });
}

function obligationOf({ copyleft, commercialAllowed }: License) {
  if (copyleft === "network") {
    return {
      severity: "warning",
      why:
        "Anyone who offers the model as a network service must offer its source code to the users",
    } as const;
  }
  if (commercialAllowed === false) {
    return { severity: "warning", why: "The license does not allow commercial use" } as const;
  }
  if (copyleft === undefined) return undefined;
  return {
    severity: "info",
    why: "Anyone who passes the model on must offer its source code under the same license",
  } as const;
}

function licenseInfo(
  { license, source, confidence }: FoundLicense,
  text = "",
): Record<string, unknown> {
  return {
    spdx_id: license.spdxId,
    name: license.name,
    url: license.url,
    text: source === "text" && text !== "" ? redact(text.slice(0, MAX_TEXT_CHARACTERS)) : null,
    confidence,
    source,
    commercial_allowed: license.commercialAllowed,
  };
}

function copyrightNotice({ holder, year, text }: CopyrightNotice): Record<string, unknown> {
  return { holder: redact(holder), year, text: redact(text), confidence: 0.9 };
}
