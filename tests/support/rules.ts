/** The rules of the specification that are built. Each has a test that names it. */
export const RULES: readonly string[] = [
  ...numbered("RS 1", 5),
  ...numbered("RS 4.1", 8),
  ...numbered("RS 4.2", 9),
  ...numbered("RS 4.3", 5),
  ...numbered("RS 4.4", 7),
  ...[4, 5].map((rule) => `RS 4.4 common ${rule}`),
  ...[1, 2].map((rule) => `RS 4.4 single ${rule}`),
  ...[1, 2, 3, 4, 5].map((rule) => `RS 4.4 multiple ${rule}`),
  ...numbered("RS 4.5", 8),
  ...numbered("RS 4.6", 5),
  ...numbered("RS 4.7", 6),
  "RS 5",
  ...numbered("RS 6", 2),
  "SR 1",
  ...numbered("SR 2", 12),
  ...numbered("C 5", 6),
  ...[2, 3, 7, 8].map((part) => `HC ${part}`),
  ...[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 28, 31]
    .map((
      it,
    ) => `C ${it}`),
];

function numbered(part: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${part}.${index + 1}`);
}
