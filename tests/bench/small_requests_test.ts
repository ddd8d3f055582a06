import * as assert from "node:assert/strict";
import { parseRound } from "./small_requests.ts";

const PRINTED = `Running 2s test @ http://127.0.0.1:8080/
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.93ms  689.40us  12.03ms   88.40%
    Req/Sec     4.19k   331.52     4.61k    75.00%
  Latency Distribution
     50%  800.00us
     75%    2.10ms
     90%    2.60ms
     99%    4.00ms
  8342 requests in 2.00s, 36.51MB read
Requests/sec:   4168.37
Transfer/sec:     18.24MB
`;

Deno.test("what wrk prints is read, and a failed request fails the round", () => {
  const { perSecond, tail } = parseRound(PRINTED);
  assert.equal(perSecond, 4168.37);
  assert.equal(Math.round(tail * 10), 50);
  assert.throws(() => parseRound(`${PRINTED}  Non-2xx or 3xx responses: 12\n`));
  assert.throws(() => parseRound("unable to connect"));
});
