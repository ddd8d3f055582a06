import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { toolLogLabel } from "../../../core/capacity/mod.ts";
import { holds } from "./arbitraries.ts";

Deno.test("C 14 a label never contains an argument", () => {
  const secret = "S3CRET";
  const value = fc.constantFrom(
    secret,
    `"${secret} ${secret}"`,
    `'${secret}'`,
    `'"${secret} '`,
    `a\\ ${secret}`,
    `$(cat ${secret} x)`,
    `"$(cat ${secret} x)"`,
    `\`${secret} b\``,
    `<(${secret} b)`,
    `$\{${secret}}`,
  );
  const wrappers: Record<string, string[]> = {
    "sudo": ["-E", "-nE", "-u V", "--user V", "--user=V", "-uV", "-Ep V", "--new V", "-Z V"],
    "/usr/bin/env": ["-i", "-u V", "--unset=V", "-S V"],
    "time": ["-p", "-f V", "--output V", "-pf V"],
    "nice": ["-n V", "-5", "--adjustment V"],
    "command": ["-p"],
    "nohup": ["--new V"],
    "timeout": ["-k V", "--signal=V", "--foreground"],
  };
  const assignment = value.map((it) => `TOKEN=${it}`);
  const wrapper = fc.constantFrom(...Object.keys(wrappers)).chain((name) =>
    fc.array(fc.constantFrom(...wrappers[name] ?? []), { maxLength: 3 }).chain((options) =>
      fc.array(value, { minLength: 3, maxLength: 3 }).map((values) => {
        const given = options.map((option, at) => option.replace("V", () => values[at] ?? ""));
        return [name, ...given, ...name === "timeout" ? ["2.5s"] : []].join(" ");
      })
    )
  );
  const line = fc.tuple(
    fc.array(fc.oneof(assignment, wrapper), { maxLength: 5 }),
    fc.constantFrom("prog", "/opt/bin/prog", "bash -c", '"prog"', "-- prog"),
    fc.array(value, { maxLength: 3 }),
    fc.constantFrom(" ", "  ", "\t", "\n"),
  ).map(([before, program, values, space]) => [...before, program, ...values].join(space));
  const labels = new Map<string, number>();
  holds(fc.property(line, fc.nat(), (command, cut) => {
    const label = toolLogLabel(command);
    labels.set(label, (labels.get(label) ?? 0) + 1);
    assert.ok(["prog", "shell", "tool", "--"].includes(label), `${label} of ${command}`);
    // A truncated command line reveals no argument either.
    const part = command.slice(0, cut % command.length);
    assert.doesNotMatch(toolLogLabel(part), /S3CRET/, part);
  }));
  for (const label of ["prog", "shell", "tool"]) assert.ok((labels.get(label) ?? 0) > 100, label);
});
