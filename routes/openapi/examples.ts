/** Examples that several operations show. Their types are those of what the server replies. */

import type { AuditLine } from "../../schemas/audit.ts";
import type { LinkEntry } from "../../schemas/links.ts";
import type { TeamEntry, UserEntry } from "../../schemas/people.ts";
import type { ResourceEntry } from "../../schemas/resources.ts";
import type { ScanEntry } from "../../schemas/scans.ts";
import type { RevocationEntry, TokenEntry } from "../../schemas/tokens.ts";
import type { FactsEntry } from "../../schemas/facts.ts";
import type { SignatureEntry } from "../../schemas/signatures.ts";
import type { FileVerdict, StatEntry, WaiverEntry } from "../../schemas/verdicts.ts";

const TIME = "2026-11-22T09:00:00.000Z";
const SHA256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
const MD5 = "5d41402abc4b2a76b9719d911017c592";

export const ENTRY: ResourceEntry = {
  id: 2,
  user_id: 1,
  name: "model.safetensors",
  path: "models/llama/model.safetensors",
  size: 5,
  is_dir: false,
  created_at: TIME,
  updated_at: TIME,
};

const VERDICT: FileVerdict = {
  verdict: "dangerous",
  findings: [{
    rule_code: "S101",
    severity: "critical",
    message: "Pickle calls os.system when it is loaded",
    location: " (pos 12)",
  }],
  problem: null,
  scanner_version: "1",
  scanned_at: TIME,
  waiver: null,
  blocked: true,
};

export const FILE_VERDICT = { id: 2, path: ENTRY.path, size: ENTRY.size, ...VERDICT };

export const SIGNATURE: SignatureEntry = {
  path: "models/llama",
  is_dir: true,
  signature: { state: "signed", signer: "release", identity: "release@example.com" },
  bundle: "models/llama/model.sig",
  files: 12,
  left_out: 1,
  problems: [],
};

export const FACTS: FactsEntry = {
  path: "models/llama",
  is_dir: true,
  facts: {
    format: "safetensors",
    tensors: 291,
    tensor_bytes: 16_060_522_496,
    parameters: 8_030_261_248,
    dtypes: { bfloat16: 8_030_261_248 },
    architecture: "llama",
    context_length: 8192,
    license: "llama3",
    languages: ["en"],
  },
  formats: ["safetensors"],
  complete: true,
};

export const STAT: StatEntry = {
  ...ENTRY,
  md5: MD5,
  sha256: SHA256,
  crc32: "3610a686",
  etag: `"${MD5}"`,
  verdict: VERDICT,
};

export const SCAN: ScanEntry = {
  id: 1,
  user_id: 1,
  status: "completed",
  paths: ["models"],
  paths_total: 1,
  created_at: TIME,
  started_at: TIME,
  finished_at: TIME,
  files_total: 1,
  files_scanned: 1,
  bytes_total: 5,
  bytes_scanned: 5,
  issues: { critical: 1, warning: 0, info: 0, debug: 0 },
  error: null,
};

export const WAIVER: WaiverEntry = {
  id: 1,
  sha256: SHA256,
  reason: "Reviewed by the security team",
  user_id: 1,
  created_at: TIME,
  expires_at: null,
};

export const LINK: LinkEntry = {
  id: 1,
  user_id: 1,
  path: ENTRY.path,
  created_by: 1,
  jti: "0b4ee3f6-8d2c-4a5e-9b0e-2f6a1c7d8e90",
  created_at: TIME,
  expires_at: "2026-11-29T09:00:00.000Z",
  once: false,
};

export const AUDIT_LINE: AuditLine = {
  time: TIME,
  user: 1,
  tree: 1,
  address: "127.0.0.1",
  action: "resources.delete",
  paths: ["models/llama"],
  records: 3,
  outcome: "ok",
  request_id: "0b4ee3f6-8d2c-4a5e-9b0e-2f6a1c7d8e90",
};

export const TOKEN: TokenEntry = {
  jti: "0b4ee3f6-8d2c-4a5e-9b0e-2f6a1c7d8e90",
  user_id: 1,
  privileges: ["resources.view"],
  trees: {},
  quota: null,
  label: "nightly sync",
  parent: "5f0f3c0e-6f0e-4a7c-8f0b-7a9b2c1d3e4f",
  created_at: TIME,
  expires_at: "2026-11-29T09:00:00.000Z",
  revoked_at: null,
  is_current: false,
};

export const NEW_TOKEN = { ...TOKEN, token: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.…" };

export const REVOCATION: RevocationEntry = { user_id: 7, before: TIME };

export const NEW_LINK = { ...LINK, url: "https://files.example.org/l/AAAAAAAAAAAAAAAAAAAAAA" };

export const USER: UserEntry = {
  number: 1000001,
  name: "ana",
  email: "ana@example.org",
  groups: ["research"],
  created_at: TIME,
  disabled_at: null,
};

export const TEAM: TeamEntry = { number: 1000002, name: "vision", created_at: TIME };
