import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { AppError } from "../../core/errors.ts";
import {
  ancestorsOf,
  compareBytewise,
  joinPath,
  nameOf,
  refuseUncreatable,
  sanitizeAll,
  sanitizeDirectory,
  sanitizeFileName,
  sanitizePath,
} from "../../core/paths.ts";

function refuses(call: () => unknown, kind = "ErrResourcesInvalidRequest"): void {
  assert.throws(call, (error) => error instanceof AppError && error.kind === kind);
}

Deno.test("RS 1.1 and C 4 sanitizePath()", async (t) => {
  const accepted: [string, string][] = [
    ["a", "a"],
    ["a/b/c", "a/b/c"],
    ["  a/b \n", "a/b"],
    ["a\\b\\c", "a/b/c"],
    ["a//b///c", "a/b/c"],
    ["a/b/", "a/b"],
    ["a\\", "a"],
    ["./a/./b/.", "a/b"],
    ["a/ b /c", "a/ b /c"],
    ["a/...", "a/..."],
    ["..a/b..", "..a/b.."],
    ["A/a", "A/a"],
    ["e\u0301/\u00e9", "e\u0301/\u00e9"],
    ["😀/日本", "😀/日本"],
    ["s".repeat(255), "s".repeat(255)],
    [
      `${"s".repeat(255)}/`.repeat(15) + "s".repeat(255),
      `${"s".repeat(255)}/`.repeat(15) + "s".repeat(255),
    ],
  ];
  for (const [given, expected] of accepted) {
    await t.step(`C 4 ${JSON.stringify(given).slice(0, 40)}`, () => {
      assert.equal(sanitizePath(given), expected);
      assert.equal(sanitizeDirectory(given), expected);
    });
  }
  const refused = [
    "/",
    "/a",
    "\\a",
    " /a",
    "..",
    "../a",
    "a/..",
    "a/../b",
    "a\\..\\b",
    ".",
    "./.",
    "a/ /b",
    "a/ .. /b",
    "a/ . /b",
    "a\0b",
    "a\u001f",
    "a\u007f",
    "a\tb",
    ...':*?"<>|'.split("").map((character) => `a${character}b`),
    "a/\ud800/b",
    "\udc00",
    "s".repeat(256),
    "é".repeat(128),
    "s/".repeat(2049),
    "x".repeat(4097),
    // C 31: sanitized again, they would be other paths.
    "./ y",
    ".\\\u00a0y/z",
    "x /.",
    "a/x /",
    "./\ufeffy",
  ];
  for (const given of refused) {
    await t.step(`C 4 refuses ${JSON.stringify(given).slice(0, 40)}`, () => {
      refuses(() => sanitizePath(given));
      refuses(() => sanitizeDirectory(given));
    });
  }
  await t.step("C 4 white space is the root as a directory, and refused as a path", () => {
    for (const given of ["", " ", "\t\n", "\u00a0"]) {
      assert.equal(sanitizeDirectory(given), "");
      refuses(() => sanitizePath(given));
    }
  });
  await t.step("C 4 the result is safe, and sanitizing it again changes nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (given) => {
        let path: string;
        try {
          path = sanitizePath(given);
        } catch (error) {
          assert.ok(error instanceof AppError);
          assert.ok(error.message.isWellFormed() && !error.message.includes("\n"));
          return;
        }
        assert.ok(!/^\/|\/$|\/\/|\\|(^|\/)\.{1,2}(\/|$)/.test(path), path);
        assert.ok(path.isWellFormed());
        assert.equal(sanitizePath(`./${path}/`), path);
      }),
      { seed: 4, numRuns: 2000 },
    );
  });
});

Deno.test("C 31 refuseUncreatable() refuses what a request could not name afterwards", () => {
  for (const path of [" x", "x ", "x /y", "a/x\u00a0/y", "\ufeffa/b", "a\u2028/b/c", "a/b "]) {
    refuses(() => refuseUncreatable(path));
    refuses(() => joinPath("", path));
  }
  for (const path of ["", "x y", "a/ x", "a/ x y/ z"]) refuseUncreatable(path);
  assert.equal(joinPath("d", " x"), "d/ x");
});

Deno.test("RS 1.2 sanitizeAll() trims, skips blank paths and removes duplicates", () => {
  assert.deepEqual(sanitizeAll([" a/b ", "", "  ", "a//b", "a\\b/", "c"]), ["a/b", "c"]);
  assert.deepEqual(sanitizeAll([]), []);
  refuses(() => sanitizeAll(["a", "/b"]));
});

Deno.test("C 4 sanitizeFileName() returns a valid segment, or throws ErrResourcesInvalidData", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 30 }), (given) => {
      try {
        const name = sanitizeFileName(given);
        assert.ok(!/[/\\]/.test(name) && name.trim() !== "" && name !== "..");
        assert.equal(sanitizePath(`d/${name}/e`), `d/${name}/e`);
      } catch (error) {
        assert.ok(error instanceof AppError && error.kind === "ErrResourcesInvalidData");
      }
    }),
    { seed: 4, numRuns: 2000 },
  );
});

Deno.test("RS 1.1 nameOf(), ancestorsOf() and joinPath()", () => {
  assert.equal(nameOf("a/b/c.txt"), "c.txt");
  assert.equal(nameOf("c.txt"), "c.txt");
  assert.deepEqual(ancestorsOf("a/b/c"), ["a", "a/b"]);
  assert.deepEqual(ancestorsOf("a"), []);
  assert.equal(joinPath("", "a"), "a");
  assert.equal(joinPath("a/b", "c"), "a/b/c");
  assert.equal(joinPath("d".repeat(4000), "n".repeat(95)).length, 4096);
  refuses(() => joinPath("d".repeat(4000), "n".repeat(96)));
});

Deno.test("C 4 compareBytewise() orders by UTF-8 bytes", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 8 });
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      const expected = Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.equal(Math.sign(compareBytewise(a, b)), expected);
    }),
    { seed: 4, numRuns: 5000 },
  );
  assert.ok(compareBytewise("\uffff", "\u{10000}") < 0);
  assert.ok(compareBytewise("a", "a/") < 0 && compareBytewise("a-b", "a/") < 0);
});

Deno.test("C 4 lengths count the UTF-8 bytes of the trimmed text", () => {
  const of = (bytes: number, unit = "x") => {
    const segment = `${unit.repeat(Math.floor(200 / unit.length))}/`;
    const whole = segment.repeat(Math.ceil(bytes / segment.length));
    return `${whole.slice(0, bytes - 1)}y`;
  };
  assert.equal(sanitizePath(of(4096)), of(4096));
  assert.equal(sanitizePath(` ${of(4096)}  `), of(4096));
  refuses(() => sanitizePath(of(4097)));
  // 2 049 characters of two bytes each.
  const twoBytes = Array.from({ length: 33 }, () => "é".repeat(61)).join("/");
  assert.equal(new TextEncoder().encode(twoBytes).length, 4058);
  assert.equal(sanitizePath(`${twoBytes}/${"é".repeat(18)}y`).length > 2000, true);
  refuses(() => sanitizePath(`${twoBytes}/${"é".repeat(19)}`));
  assert.equal(sanitizePath("é".repeat(127)), "é".repeat(127));
  refuses(() => sanitizePath("é".repeat(128)));
});
