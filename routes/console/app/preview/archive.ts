import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import type { VerdictFinding } from "../../../../schemas/verdicts.ts";
import { SeverityBadge } from "../scans/finding.ts";
import { bytes, plural } from "../shared/format.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Rows } from "../ui/rows.ts";
import { HeaderError, shortened } from "./header.ts";
import { type ReadFile, readRange } from "./prefix.ts";
import type { Member, Members, ReadPart } from "./members.ts";
import { readTar } from "./tar.ts";
import { readZip } from "./zip.ts";

interface Props {
  readonly file: ReadFile;
  /** What the scan has found, with the members that it is in. */
  readonly findings: readonly VerdictFinding[];
}

/** What a ZIP lists at its end. */
export function ZipView(props: Props): ComponentChild {
  return h(ArchiveView, { ...props, list: readZip });
}

/** What the headers in a TAR list. */
export function TarView(props: Props): ComponentChild {
  return h(ArchiveView, { ...props, list: readTar });
}

type List = (read: ReadPart, size: number) => Promise<Members>;

function ArchiveView(
  { file, findings, list }: Props & { readonly list: List },
): ComponentChild {
  const loaded = useLoaded(async (signal): Promise<Members | string> => {
    try {
      return await list((start, end) => readRange(file, { start, end }, signal), file.size);
    } catch (error) {
      if (error instanceof HeaderError) return error.message;
      throw error;
    }
  }, [file.etag]);
  return h(Await<Members | string>, {
    loading: loaded,
    what: "the members",
    children: (members) =>
      typeof members === "string" ? h("p", null, members) : h(MemberTable, { members, findings }),
  });
}

function MemberTable(
  { members: { members, isCut }, findings }: {
    readonly members: Members;
    readonly findings: readonly VerdictFinding[];
  },
): ComponentChild {
  const size = members.reduce((sum, it) => sum + it.size, 0);
  const found = useMemo(() => Map.groupBy(findings, (it) => memberOf(it, members)), [
    findings,
    members,
  ]);
  return [
    h(
      "p",
      { key: "sum", class: "muted" },
      `${plural(members.length, "member")}${isCut ? ", the first ones of more" : ""}, ` +
        `${bytes(size)} when unpacked`,
    ),
    members.length > 0 && h(Rows<Member>, {
      key: "members",
      label: "Members",
      rows: members,
      columns: [
        { title: "Name", kind: "code", cell: ({ name }) => h("bdi", null, shortened(name)) },
        { title: "Found in it", cell: (member) => found.get(member)?.map(FoundInMember) },
        { title: "Size", kind: "number", cell: ({ size: it }) => bytes(it) },
        { title: "Packed", kind: "number", cell: ({ size: it, packed = it }) => bytes(packed) },
      ],
    }),
  ];
}

function FoundInMember({ severity, message }: VerdictFinding, key: number): ComponentChild {
  return h("p", { key }, h(SeverityBadge, { severity }), " ", h("bdi", null, message));
}

/** The member that a finding is in: `:a.zip:b.pkl (pos 3)` is in `a.zip`. */
function memberOf(
  { location = "" }: VerdictFinding,
  members: readonly Member[],
): Member | undefined {
  const place = location.replace(/^:/, "");
  // A name may contain what separates it from the rest: the longest one counts.
  return members
    .filter(({ name }) => place === name || [":", " ("].some((it) => place.startsWith(name + it)))
    .sort((a, b) => b.name.length - a.name.length)[0];
}
