/** A seeded generator of pseudorandom integers from 0 to below its argument (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Changes, drops, doubles or cuts off bytes of the content at random. */
export function mutated(content: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = Uint8Array.from(content);
  for (let times = 1 + random(4); times > 0 && bytes.length > 0; times--) {
    const at = random(bytes.length);
    const length = 1 + random(16);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + length)];
    switch (random(5)) {
      case 0:
        bytes[at] = random(256);
        break;
      case 1:
        bytes[at] = 0xff;
        break;
      case 2:
        bytes = Uint8Array.from([...before, ...after]);
        break;
      case 3:
        bytes = Uint8Array.from([...bytes.subarray(0, at + length), ...bytes.subarray(at)]);
        break;
      case 4:
        bytes = bytes.slice(0, at);
        break;
    }
  }
  return bytes;
}
