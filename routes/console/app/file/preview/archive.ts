import { type ComponentChild, h } from "preact";
import { bytes, plural } from "../../shared/format.ts";
import { Await, useLoaded } from "../../ui/loaded.ts";
import { Rows } from "../../ui/rows.ts";
import { HeaderError, shortened } from "../header.ts";
import { type ReadFile, readRange } from "../prefix.ts";
import type { Member, Members, ReadPart } from "./members.ts";
import { readTar } from "./tar.ts";
import { readZip } from "./zip.ts";

interface Props {
  readonly file: ReadFile;
}

/** What a ZIP lists at its end. */
export function ZipView({ file }: Props): ComponentChild {
  return h(ArchiveView, { file, list: readZip });
}

/** What the headers in a TAR list. */
export function TarView({ file }: Props): ComponentChild {
  return h(ArchiveView, { file, list: readTar });
}

type List = (read: ReadPart, size: number) => Promise<Members>;

function ArchiveView({ file, list }: Props & { readonly list: List }): ComponentChild {
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
      typeof members === "string" ? h("p", null, members) : h(MemberTable, { members }),
  });
}

function MemberTable(
  { members: { members, isCut } }: { readonly members: Members },
): ComponentChild {
  const size = members.reduce((sum, it) => sum + it.size, 0);
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
        { title: "Size", kind: "number", cell: ({ size: it }) => bytes(it) },
        {
          title: "Packed",
          kind: "number",
          cell: ({ size: it, packed = it }) => bytes(packed),
        },
      ],
    }),
  ];
}
