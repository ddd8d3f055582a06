import type { ScanContext } from "../../contract/scanner.ts";
import type { Finding } from "../../contract/checklist.ts";
import { redact } from "../secrets/find_secrets.ts";
import type { CopyrightNotice } from "./copyright.ts";
import type { FoundLicense } from "./recognize.ts";

/** Adds licenses and copyright notices to the file's metadata (SR 2.5, 2.11, 2.12). */
export function addLicenseMetadata(
  context: ScanContext,
  licenses: readonly FoundLicense[],
  notices: readonly CopyrightNotice[],
): void {
  if (licenses.length > 0) {
    const [first] = licenses;
    context.addMetadata({
      license: first?.license.spdxId ?? first?.license.name,
      license_info: licenses.map(licenseInfo),
    });
  }
  if (notices.length > 0) {
    context.addMetadata({ copyright_notices: notices.map(copyrightNotice) });
  }
}

/** The findings about licenses with far-reaching obligations, which are the versions of AGPL (S1008). */
export function licenseFindings(licenses: readonly FoundLicense[]): Finding[] {
  return licenses.filter(({ license }) => license.spdxId?.startsWith("AGPL")).map((
    { license },
  ) => ({
    severity: "warning",
    ruleCode: "S1008",
    message: `License ${license.name}`,
    why: "Anyone who offers the model as a network service must offer its source code to the users",
  }));
}

function licenseInfo({ license, source, confidence }: FoundLicense): Record<string, unknown> {
  return {
    spdx_id: license.spdxId,
    name: license.name,
    url: license.url,
    text: null,
    confidence,
    source,
    commercial_allowed: license.commercialAllowed,
  };
}

function copyrightNotice({ holder, year, text }: CopyrightNotice): Record<string, unknown> {
  return { holder: redact(holder), year, text: redact(text), confidence: 0.9 };
}
