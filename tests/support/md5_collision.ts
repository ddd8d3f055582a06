/** Two 128-byte blocks with the same MD5, published by Wang, Feng, Lai and Yu in 2004. */
export const MD5_COLLISION = [0x00, 0x80].map((flip) => {
  const block = Uint8Array.from(
    ("d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f89" +
      "55ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b" +
      "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0" +
      "e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70").match(/../g) ?? [],
    (hex) => parseInt(hex, 16),
  );
  for (const offset of [19, 45, 59, 83, 109, 123]) block[offset] = (block[offset] ?? 0) ^ flip;
  return block;
}) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
