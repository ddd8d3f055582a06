import { AuditLine, AuditList } from "../../schemas/audit.ts";
import { CapacityHistory, CapacityOverview } from "../../schemas/capacity.ts";
import {
  DiffEntry,
  DiffList,
  EmptiedTrash,
  HistoryEntry,
  HistoryList,
  PurgeRequest,
  RestoreRequest,
  TrashEntry,
  TrashList,
} from "../../schemas/history.ts";
import { LinkEntry, LinkList, LinkRequest, NewLinkEntry } from "../../schemas/links.ts";
import {
  NewTeamRequest,
  NewUserRequest,
  TeamChange,
  TeamEntry,
  TeamList,
  UserChange,
  UserEntry,
  UserList,
} from "../../schemas/people.ts";
import { reportJsonSchemas } from "../../schemas/report/report.ts";
import {
  DeleteResourceRequest,
  MkdirResourceRequest,
  ResourceEntry,
  ResourceList,
  TransferResourceRequest,
} from "../../schemas/resources.ts";
import { ScanEntry, ScanList, ScanRequest } from "../../schemas/scans.ts";
import { EntryShares, ExtensionShares, UserShares } from "../../schemas/shares.ts";
import {
  NewTokenEntry,
  RevocationEntry,
  RevocationRequest,
  TokenEntry,
  TokenList,
  TokenRequest,
} from "../../schemas/tokens.ts";
import { InvitationEntry } from "../../schemas/sign_in.ts";
import {
  MirrorEntry,
  MirrorFetch,
  MirrorFetchRequest,
  MirrorFile,
  MirrorFileList,
  MirrorList,
  MirrorPinRequest,
  MirrorRequest,
  MirrorState,
} from "../../schemas/mirror.ts";
import { FileDecision, FileDecisionList } from "../../schemas/policy.ts";
import { TagEntry, TagList, TagRequest } from "../../schemas/tags.ts";
import { UploadEntry } from "../../schemas/uploads.ts";
import { Usage } from "../../schemas/usage.ts";
import {
  FoundEntry,
  FoundList,
  StatEntry,
  VerdictDays,
  VerdictEntry,
  VerdictList,
  WaiverEntry,
  WaiverList,
  WaiverRequest,
} from "../../schemas/verdicts.ts";
import { Comparison } from "../../schemas/compare.ts";
import { FactsEntry } from "../../schemas/facts.ts";
import { SignatureEntry } from "../../schemas/signatures.ts";
import { EVENT } from "./events.ts";
import {
  AUDIT_LINE,
  ENTRY,
  FACTS,
  FILE_VERDICT,
  LINK,
  NEW_LINK,
  NEW_TOKEN,
  REVOCATION,
  SCAN,
  SIGNATURE,
  STAT,
  TEAM,
  TOKEN,
  USER,
  WAIVER,
} from "./examples.ts";
import { componentPath, type Json, reference, requestSchemaOf, schemaOf } from "./parts.ts";

/** The schemas of the description by name. Those of requests are what the server reads bodies by. */
export function schemas(): Record<string, Json> {
  return {
    ResourceEntry: { ...schemaOf(ResourceEntry), examples: [ENTRY] },
    ResourceList: { ...schemaOf(ResourceList), ...listOf("ResourceEntry") },
    FoundEntry: schemaOf(FoundEntry),
    FoundList: {
      ...schemaOf(FoundList),
      properties: {
        ...Object(schemaOf(FoundList).properties),
        items: { type: "array", items: reference("FoundEntry") },
      },
    },
    HistoryEntry: schemaOf(HistoryEntry),
    HistoryList: {
      ...schemaOf(HistoryList),
      properties: {
        ...Object(schemaOf(HistoryList).properties),
        items: { type: "array", items: reference("HistoryEntry") },
      },
    },
    DiffEntry: schemaOf(DiffEntry),
    DiffList: { ...schemaOf(DiffList), ...listOf("DiffEntry") },
    TrashEntry: schemaOf(TrashEntry),
    TrashList: {
      ...schemaOf(TrashList),
      properties: {
        ...Object(schemaOf(TrashList).properties),
        items: { type: "array", items: reference("TrashEntry") },
      },
    },
    EmptiedTrash: schemaOf(EmptiedTrash),
    PurgeRequest: requestSchemaOf(PurgeRequest),
    Tag: schemaOf(TagEntry),
    TagList: { ...schemaOf(TagList), ...listOf("Tag") },
    TagRequest: requestSchemaOf(TagRequest),
    RestoreRequest: requestSchemaOf(RestoreRequest),
    DeleteResourceRequest: requestSchemaOf(DeleteResourceRequest),
    MkdirResourceRequest: requestSchemaOf(MkdirResourceRequest),
    MoveResourceRequest: requestSchemaOf(TransferResourceRequest),
    CopyResourceRequest: requestSchemaOf(TransferResourceRequest),
    Event: EVENT,
    Comparison: schemaOf(Comparison),
    Facts: { ...schemaOf(FactsEntry), examples: [FACTS] },
    Signature: { ...schemaOf(SignatureEntry), examples: [SIGNATURE] },
    Stat: { ...schemaOf(StatEntry), examples: [STAT] },
    Upload: schemaOf(UploadEntry),
    Usage: schemaOf(Usage),
    EntryShares: schemaOf(EntryShares),
    ExtensionShares: schemaOf(ExtensionShares),
    UserShares: schemaOf(UserShares),
    Verdict: { ...schemaOf(VerdictEntry), examples: [FILE_VERDICT] },
    VerdictDays: schemaOf(VerdictDays),
    VerdictList: { ...schemaOf(VerdictList), ...listOf("Verdict") },
    FileDecision: schemaOf(FileDecision),
    FileDecisionList: { ...schemaOf(FileDecisionList), ...listOf("FileDecision") },
    MirrorRevision: schemaOf(MirrorEntry),
    MirrorList: { ...schemaOf(MirrorList), ...listOf("MirrorRevision") },
    MirrorRequest: requestSchemaOf(MirrorRequest),
    MirrorFile: schemaOf(MirrorFile),
    MirrorFileList: {
      ...schemaOf(MirrorFileList),
      properties: {
        ...Object(schemaOf(MirrorFileList).properties),
        items: { type: "array", items: reference("MirrorFile") },
      },
    },
    MirrorState: schemaOf(MirrorState),
    MirrorFetch: schemaOf(MirrorFetch),
    MirrorFetchRequest: requestSchemaOf(MirrorFetchRequest),
    MirrorPinRequest: requestSchemaOf(MirrorPinRequest),
    Waiver: { ...schemaOf(WaiverEntry), examples: [WAIVER] },
    WaiverList: { ...schemaOf(WaiverList), ...listOf("Waiver") },
    WaiverRequest: requestSchemaOf(WaiverRequest),
    Link: { ...schemaOf(LinkEntry), examples: [LINK] },
    NewLink: { ...schemaOf(NewLinkEntry), examples: [NEW_LINK] },
    LinkList: schemaOf(LinkList),
    LinkRequest: requestSchemaOf(LinkRequest),
    Token: { ...schemaOf(TokenEntry), examples: [TOKEN] },
    NewToken: { ...schemaOf(NewTokenEntry), examples: [NEW_TOKEN] },
    Invitation: schemaOf(InvitationEntry),
    TokenList: { ...schemaOf(TokenList), ...listOf("Token") },
    TokenRequest: requestSchemaOf(TokenRequest),
    RevocationRequest: requestSchemaOf(RevocationRequest),
    Revocation: { ...schemaOf(RevocationEntry), examples: [REVOCATION] },
    User: { ...schemaOf(UserEntry), examples: [USER] },
    UserList: { ...schemaOf(UserList), ...listOf("User") },
    NewUserRequest: requestSchemaOf(NewUserRequest),
    UserChange: requestSchemaOf(UserChange),
    Team: { ...schemaOf(TeamEntry), examples: [TEAM] },
    TeamList: { ...schemaOf(TeamList), ...listOf("Team") },
    NewTeamRequest: requestSchemaOf(NewTeamRequest),
    TeamChange: requestSchemaOf(TeamChange),
    AuditLine: { ...schemaOf(AuditLine), additionalProperties: true, examples: [AUDIT_LINE] },
    AuditList: {
      ...schemaOf(AuditList),
      properties: {
        ...Object(schemaOf(AuditList).properties),
        items: { type: "array", items: reference("AuditLine") },
      },
    },
    CapacityOverview: schemaOf(CapacityOverview),
    CapacityHistory: schemaOf(CapacityHistory),
    Scan: { ...schemaOf(ScanEntry), examples: [SCAN] },
    ScanList: { ...schemaOf(ScanList), ...listOf("Scan") },
    ScanRequest: requestSchemaOf(ScanRequest),
    ...reportJsonSchemas((name) => componentPath("schemas", name)),
    ReportValidation: REPORT_VALIDATION,
    Violation: VIOLATION,
    Error: ERROR,
  };
}

function listOf(name: string): Json {
  return {
    properties: {
      items: { type: "array", items: reference(name) },
      total: { type: "integer", minimum: 0, description: "The number of items" },
    },
  };
}

const REPORT_VALIDATION: Json = {
  oneOf: [{
    type: "object",
    required: ["valid", "report"],
    properties: { valid: { const: true }, report: reference("Report") },
  }, {
    type: "object",
    required: ["valid", "violations"],
    properties: {
      valid: { const: false },
      violations: { type: "array", items: reference("Violation"), maxItems: 1000 },
      violations_truncated: { type: "boolean", description: "There are more violations" },
    },
  }],
};

const VIOLATION: Json = {
  type: "object",
  required: ["path", "message"],
  properties: {
    path: { type: "string", description: "Where, such as issues[3].severity" },
    message: { type: "string", description: "What is allowed there, and what was found" },
  },
};

const ERROR: Json = {
  type: "object",
  required: ["status", "code", "msg"],
  properties: {
    status: { const: "error" },
    code: { type: "string", description: "The kind of the error" },
    msg: { type: "string", description: "What was wrong, for a person" },
  },
  examples: [{
    status: "error",
    code: "ErrResourcesNotFound",
    msg: 'Cannot move "a": not found',
  }],
};
