/**
 * Scenarios of move, copy and the other operations, one per line. The columns are:
 *
 * 1. the rule that the scenario shows;
 * 2. the records of user A before: `d/` is a directory, `d/f` a file; a `B:` prefix means user B;
 * 3. the request of user A: `""` is the root, `!` is force; with `admin`, A is an administrator;
 * 4. the status, and the error code without `ErrResources`;
 * 5. the paths in the reply, in order;
 * 6. the events, in order: `-` deleted, `+` added, `~` updated;
 * 7. the records after: `t=s` is a file at `t` with the former content of `s`.
 *
 * A refusal has no columns after its code: it changes nothing and publishes nothing.
 */

/** Every combination of source, target, number of sources, trailing slash and force. */
export const COMBINATIONS = String.raw`
RS 4.4.3 | s/ s/x | move s/x > t | 200 | t | ~t | s/ t=s/x
RS 4.4.3 | s/ s/x | move s/x > t ! | 200 | t | ~t | s/ t=s/x
RS 4.4.3 | s/ s/x | move s/x > t/ | 200 | t t/x | +t ~t/x | s/ t/ t/x=s/x
RS 4.4.3 | s/ s/x | move s/x > t/ ! | 200 | t t/x | +t ~t/x | s/ t/ t/x=s/x
RS 4.4 multiple 4 | s/ s/x s/y | move s/x,s/y > t | 200 | t t/x t/y | +t ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4 multiple 4 | s/ s/x s/y | move s/x,s/y > t ! | 200 | t t/x t/y | +t ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4 multiple 4 | s/ s/x s/y | move s/x,s/y > t/ | 200 | t t/x t/y | +t ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4 multiple 4 | s/ s/x s/y | move s/x,s/y > t/ ! | 200 | t t/x t/y | +t ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4.4 | s/ s/x t | move s/x > t | 409 Conflict
RS 4.4.4 | s/ s/x t | move s/x > t ! | 200 | t | -t ~t | s/ t=s/x
C 7 | s/ s/x t | move s/x > t/ | 409 Conflict
C 7 | s/ s/x t | move s/x > t/ ! | 200 | t t/x | -t +t ~t/x | s/ t/ t/x=s/x
RS 4.4 multiple 4 | s/ s/x s/y t | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 4 | s/ s/x s/y t | move s/x,s/y > t ! | 409 Conflict
RS 4.4 multiple 4 | s/ s/x s/y t | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 4 | s/ s/x s/y t | move s/x,s/y > t/ ! | 409 Conflict
RS 4.4.3 | s/ s/x t/ t/k | move s/x > t | 200 | t/x | ~t/x | s/ t/ t/k t/x=s/x
RS 4.4.3 | s/ s/x t/ t/k | move s/x > t ! | 200 | t/x | ~t/x | s/ t/ t/k t/x=s/x
RS 4.4.3 | s/ s/x t/ t/k | move s/x > t/ | 200 | t/x | ~t/x | s/ t/ t/k t/x=s/x
RS 4.4.3 | s/ s/x t/ t/k | move s/x > t/ ! | 200 | t/x | ~t/x | s/ t/ t/k t/x=s/x
RS 4.4 multiple 1 | s/ s/x s/y t/ t/k | move s/x,s/y > t | 200 | t/x t/y | ~t/x ~t/y | s/ t/ t/k t/x=s/x t/y=s/y
RS 4.4 multiple 1 | s/ s/x s/y t/ t/k | move s/x,s/y > t ! | 200 | t/x t/y | ~t/x ~t/y | s/ t/ t/k t/x=s/x t/y=s/y
RS 4.4 multiple 1 | s/ s/x s/y t/ t/k | move s/x,s/y > t/ | 200 | t/x t/y | ~t/x ~t/y | s/ t/ t/k t/x=s/x t/y=s/y
RS 4.4 multiple 1 | s/ s/x s/y t/ t/k | move s/x,s/y > t/ ! | 200 | t/x t/y | ~t/x ~t/y | s/ t/ t/k t/x=s/x t/y=s/y
RS 4.4.4 | s/ s/x t/ t/x | move s/x > t | 409 Conflict
RS 4.4.4 | s/ s/x t/ t/x | move s/x > t ! | 200 | t/x | -t/x ~t/x | s/ t/ t/x=s/x
RS 4.4.4 | s/ s/x t/ t/x | move s/x > t/ | 409 Conflict
RS 4.4.4 | s/ s/x t/ t/x | move s/x > t/ ! | 200 | t/x | -t/x ~t/x | s/ t/ t/x=s/x
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x | move s/x,s/y > t ! | 200 | t/x t/y | -t/x ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x | move s/x,s/y > t/ ! | 200 | t/x t/y | -t/x ~t/x ~t/y | s/ t/ t/x=s/x t/y=s/y
RS 4.4.4 | s/ s/x t/ t/x/ t/x/k | move s/x > t | 409 Conflict
RS 4.4.4 | s/ s/x t/ t/x/ t/x/k | move s/x > t ! | 409 Conflict
RS 4.4.4 | s/ s/x t/ t/x/ t/x/k | move s/x > t/ | 409 Conflict
RS 4.4.4 | s/ s/x t/ t/x/ t/x/k | move s/x > t/ ! | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x/ t/x/k | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x/ t/x/k | move s/x,s/y > t ! | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x/ t/x/k | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 5 | s/ s/x s/y t/ t/x/ t/x/k | move s/x,s/y > t/ ! | 409 Conflict
RS 4.4.6 | s/ s/x/ s/x/in | move s/x > t | 200 | t t/in | ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4.6 | s/ s/x/ s/x/in | move s/x > t ! | 200 | t t/in | ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4.6 | s/ s/x/ s/x/in | move s/x > t/ | 200 | t t/in | ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4.6 | s/ s/x/ s/x/in | move s/x > t/ ! | 200 | t t/in | ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y | move s/x,s/y > t | 200 | t t/x t/x/in t/y | +t ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y | move s/x,s/y > t ! | 200 | t t/x t/x/in t/y | +t ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y | move s/x,s/y > t/ | 200 | t t/x t/x/in t/y | +t ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y | move s/x,s/y > t/ ! | 200 | t t/x t/x/in t/y | +t ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4.7 | s/ s/x/ s/x/in t | move s/x > t | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t | move s/x > t ! | 200 | t t/in | -t ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4.7 | s/ s/x/ s/x/in t | move s/x > t/ | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t | move s/x > t/ ! | 200 | t t/in | -t ~t ~t/in | s/ t/ t/in=s/x/in
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y t | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y t | move s/x,s/y > t ! | 409 Conflict
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y t | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 4 | s/ s/x/ s/x/in s/y t | move s/x,s/y > t/ ! | 409 Conflict
RS 4.4.5 | s/ s/x/ s/x/in t/ t/k | move s/x > t | 200 | t/x t/x/in | ~t/x ~t/x/in | s/ t/ t/k t/x/ t/x/in=s/x/in
RS 4.4.5 | s/ s/x/ s/x/in t/ t/k | move s/x > t ! | 200 | t/x t/x/in | ~t/x ~t/x/in | s/ t/ t/k t/x/ t/x/in=s/x/in
RS 4.4.5 | s/ s/x/ s/x/in t/ t/k | move s/x > t/ | 200 | t/x t/x/in | ~t/x ~t/x/in | s/ t/ t/k t/x/ t/x/in=s/x/in
RS 4.4.5 | s/ s/x/ s/x/in t/ t/k | move s/x > t/ ! | 200 | t/x t/x/in | ~t/x ~t/x/in | s/ t/ t/k t/x/ t/x/in=s/x/in
RS 4.4 multiple 1 | s/ s/x/ s/x/in s/y t/ t/k | move s/x,s/y > t | 200 | t/x t/x/in t/y | ~t/x ~t/x/in ~t/y | s/ t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 1 | s/ s/x/ s/x/in s/y t/ t/k | move s/x,s/y > t ! | 200 | t/x t/x/in t/y | ~t/x ~t/x/in ~t/y | s/ t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 1 | s/ s/x/ s/x/in s/y t/ t/k | move s/x,s/y > t/ | 200 | t/x t/x/in t/y | ~t/x ~t/x/in ~t/y | s/ t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 1 | s/ s/x/ s/x/in s/y t/ t/k | move s/x,s/y > t/ ! | 200 | t/x t/x/in t/y | ~t/x ~t/x/in ~t/y | s/ t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x | move s/x > t | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x | move s/x > t ! | 200 | t/x t/x/in | -t/x ~t/x ~t/x/in | s/ t/ t/x/ t/x/in=s/x/in
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x | move s/x > t/ | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x | move s/x > t/ ! | 200 | t/x t/x/in | -t/x ~t/x ~t/x/in | s/ t/ t/x/ t/x/in=s/x/in
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x | move s/x,s/y > t ! | 200 | t/x t/x/in t/y | -t/x ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x | move s/x,s/y > t/ ! | 200 | t/x t/x/in t/y | -t/x ~t/x ~t/x/in ~t/y | s/ t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x/ t/x/k | move s/x > t | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x/ t/x/k | move s/x > t ! | 200 | t/x/in | ~t/x/in -s/x | s/ t/ t/x/ t/x/in=s/x/in t/x/k
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x/ t/x/k | move s/x > t/ | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/in t/ t/x/ t/x/k | move s/x > t/ ! | 200 | t/x/in | ~t/x/in -s/x | s/ t/ t/x/ t/x/in=s/x/in t/x/k
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | move s/x,s/y > t | 409 Conflict
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | move s/x,s/y > t ! | 200 | t/x/in t/y | ~t/x/in ~t/y -s/x | s/ t/ t/x/ t/x/in=s/x/in t/x/k t/y=s/y
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | move s/x,s/y > t/ | 409 Conflict
RS 4.4 multiple 5 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | move s/x,s/y > t/ ! | 200 | t/x/in t/y | ~t/x/in ~t/y -s/x | s/ t/ t/x/ t/x/in=s/x/in t/x/k t/y=s/y
RS 4.5.3 | s/ s/x | copy s/x > t | 200 | t | +t | s/ s/x t=s/x
RS 4.5.3 | s/ s/x | copy s/x > t ! | 200 | t | +t | s/ s/x t=s/x
RS 4.5.3 | s/ s/x | copy s/x > t/ | 200 | t t/x | +t +t/x | s/ s/x t/ t/x=s/x
RS 4.5.3 | s/ s/x | copy s/x > t/ ! | 200 | t t/x | +t +t/x | s/ s/x t/ t/x=s/x
RS 4.5.6 | s/ s/x s/y | copy s/x,s/y > t | 200 | t t/x t/y | +t +t/x +t/y | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y | copy s/x,s/y > t ! | 200 | t t/x t/y | +t +t/x +t/y | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y | copy s/x,s/y > t/ | 200 | t t/x t/y | +t +t/x +t/y | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y | copy s/x,s/y > t/ ! | 200 | t t/x t/y | +t +t/x +t/y | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.3 | s/ s/x t | copy s/x > t | 409 Conflict
RS 4.5.3 | s/ s/x t | copy s/x > t ! | 200 | t | -t ~t | s/ s/x t=s/x
C 7 | s/ s/x t | copy s/x > t/ | 409 Conflict
C 7 | s/ s/x t | copy s/x > t/ ! | 200 | t t/x | -t +t +t/x | s/ s/x t/ t/x=s/x
RS 4.5.6 | s/ s/x s/y t | copy s/x,s/y > t | 409 Conflict
RS 4.5.6 | s/ s/x s/y t | copy s/x,s/y > t ! | 409 Conflict
RS 4.5.6 | s/ s/x s/y t | copy s/x,s/y > t/ | 409 Conflict
RS 4.5.6 | s/ s/x s/y t | copy s/x,s/y > t/ ! | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/k | copy s/x > t | 200 | t/x | +t/x | s/ s/x t/ t/k t/x=s/x
RS 4.5.3 | s/ s/x t/ t/k | copy s/x > t ! | 200 | t/x | +t/x | s/ s/x t/ t/k t/x=s/x
RS 4.5.3 | s/ s/x t/ t/k | copy s/x > t/ | 200 | t/x | +t/x | s/ s/x t/ t/k t/x=s/x
RS 4.5.3 | s/ s/x t/ t/k | copy s/x > t/ ! | 200 | t/x | +t/x | s/ s/x t/ t/k t/x=s/x
RS 4.5.6 | s/ s/x s/y t/ t/k | copy s/x,s/y > t | 200 | t/x t/y | +t/x +t/y | s/ s/x s/y t/ t/k t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y t/ t/k | copy s/x,s/y > t ! | 200 | t/x t/y | +t/x +t/y | s/ s/x s/y t/ t/k t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y t/ t/k | copy s/x,s/y > t/ | 200 | t/x t/y | +t/x +t/y | s/ s/x s/y t/ t/k t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y t/ t/k | copy s/x,s/y > t/ ! | 200 | t/x t/y | +t/x +t/y | s/ s/x s/y t/ t/k t/x=s/x t/y=s/y
RS 4.5.3 | s/ s/x t/ t/x | copy s/x > t | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/x | copy s/x > t ! | 200 | t/x | -t/x ~t/x | s/ s/x t/ t/x=s/x
RS 4.5.3 | s/ s/x t/ t/x | copy s/x > t/ | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/x | copy s/x > t/ ! | 200 | t/x | -t/x ~t/x | s/ s/x t/ t/x=s/x
RS 4.5.6 | s/ s/x s/y t/ t/x | copy s/x,s/y > t | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x | copy s/x,s/y > t ! | 200 | t/y t/x | -t/x +t/y ~t/x | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.6 | s/ s/x s/y t/ t/x | copy s/x,s/y > t/ | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x | copy s/x,s/y > t/ ! | 200 | t/y t/x | -t/x +t/y ~t/x | s/ s/x s/y t/ t/x=s/x t/y=s/y
RS 4.5.3 | s/ s/x t/ t/x/ t/x/k | copy s/x > t | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/x/ t/x/k | copy s/x > t ! | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/x/ t/x/k | copy s/x > t/ | 409 Conflict
RS 4.5.3 | s/ s/x t/ t/x/ t/x/k | copy s/x > t/ ! | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x/ t/x/k | copy s/x,s/y > t | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x/ t/x/k | copy s/x,s/y > t ! | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x/ t/x/k | copy s/x,s/y > t/ | 409 Conflict
RS 4.5.6 | s/ s/x s/y t/ t/x/ t/x/k | copy s/x,s/y > t/ ! | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in | copy s/x > t | 200 | t t/in | +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
RS 4.5.4 | s/ s/x/ s/x/in | copy s/x > t ! | 200 | t t/in | +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
RS 4.5.4 | s/ s/x/ s/x/in | copy s/x > t/ | 200 | t t/in | +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
RS 4.5.4 | s/ s/x/ s/x/in | copy s/x > t/ ! | 200 | t t/in | +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
RS 4.5.6 | s/ s/x/ s/x/in s/y | copy s/x,s/y > t | 200 | t t/x t/x/in t/y | +t +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y | copy s/x,s/y > t ! | 200 | t t/x t/x/in t/y | +t +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y | copy s/x,s/y > t/ | 200 | t t/x t/x/in t/y | +t +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y | copy s/x,s/y > t/ ! | 200 | t t/x t/x/in t/y | +t +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.4 | s/ s/x/ s/x/in t | copy s/x > t | 409 Conflict
C 7 | s/ s/x/ s/x/in t | copy s/x > t ! | 200 | t t/in | -t +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
C 7 | s/ s/x/ s/x/in t | copy s/x > t/ | 409 Conflict
C 7 | s/ s/x/ s/x/in t | copy s/x > t/ ! | 200 | t t/in | -t +t +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in
RS 4.5.6 | s/ s/x/ s/x/in s/y t | copy s/x,s/y > t | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/in s/y t | copy s/x,s/y > t ! | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/in s/y t | copy s/x,s/y > t/ | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/in s/y t | copy s/x,s/y > t/ ! | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/k | copy s/x > t | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/k | copy s/x > t ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/k
RS 4.5.4 | s/ s/x/ s/x/in t/ t/k | copy s/x > t/ | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/k | copy s/x > t/ ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/k
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/k | copy s/x,s/y > t | 200 | t/x t/x/in t/y | +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/k | copy s/x,s/y > t ! | 200 | t/x t/x/in t/y | +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/k | copy s/x,s/y > t/ | 200 | t/x t/x/in t/y | +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/k | copy s/x,s/y > t/ ! | 200 | t/x t/x/in t/y | +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/k t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x | copy s/x > t | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x | copy s/x > t ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/x
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x | copy s/x > t/ | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x | copy s/x > t/ ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/x
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x | copy s/x,s/y > t | 409 Conflict
C 7 | s/ s/x/ s/x/in s/y t/ t/x | copy s/x,s/y > t ! | 200 | t/x t/x/in t/y | -t/x +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x | copy s/x,s/y > t/ | 409 Conflict
C 7 | s/ s/x/ s/x/in s/y t/ t/x | copy s/x,s/y > t/ ! | 200 | t/x t/x/in t/y | -t/x +t/x +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/y=s/y
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x/ t/x/k | copy s/x > t | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x/ t/x/k | copy s/x > t ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/x/ t/x/k
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x/ t/x/k | copy s/x > t/ | 409 Conflict
RS 4.5.4 | s/ s/x/ s/x/in t/ t/x/ t/x/k | copy s/x > t/ ! | 200 | t/in | +t/in | s/ s/x/ s/x/in t/ t/in=s/x/in t/x/ t/x/k
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | copy s/x,s/y > t | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | copy s/x,s/y > t ! | 200 | t/x/in t/y | +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/x/k t/y=s/y
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | copy s/x,s/y > t/ | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/in s/y t/ t/x/ t/x/k | copy s/x,s/y > t/ ! | 200 | t/x/in t/y | +t/x/in +t/y | s/ s/x/ s/x/in s/y t/ t/x/ t/x/in=s/x/in t/x/k t/y=s/y
`;

/** All the rest. */
export const SCENARIOS = String.raw`
C 7 | a | move a > a | 400 InvalidRequest
C 7 | a/ | move a > a/ ! | 400 InvalidRequest
C 7 | | move a > a | 400 InvalidRequest
C 7 | a b | move a,b > a ! | 400 InvalidRequest
RS 4.4.1 | a | move  > b | 400 InvalidRequest
RS 4.4.1 | a | move , > b | 400 InvalidRequest
RS 4.4.1 | a b/ | move a,./a > b | 200 | b/a | ~b/a | b/ b/a=a
RS 4.4.1 | a | move a,,a// > b | 200 | b | ~b | b=a
RS 4.4.1 | a | move ../a > b | 400 InvalidRequest
RS 4.4.1 | a b | move a,/b > d | 400 InvalidRequest
RS 4.4.2 | a | move a > /b | 400 InvalidRequest
RS 4.4.2 | a | move a > b/../c | 400 InvalidRequest
RS 4.4.2 | a | move a > b:c | 400 InvalidRequest
RS 4.4.2 | d/ d/f | move d/f > "" | 200 | f | ~f | d/ f=d/f
RS 4.4.2 | d/ d/e/ d/e/f | move d/e > "" | 200 | e e/f | ~e ~e/f | d/ e/ e/f=d/e/f
RS 4.4 single 1 | a | move a > "" | 400 InvalidRequest
RS 4.4 single 1 | a/ | move a > "" ! | 400 InvalidRequest
RS 4.4 single 1 | | move missing > "" | 400 InvalidRequest
RS 4.4 single 2 | | move a > b | 404 NotFound
RS 4.4 single 2 | B:a | move a > b | 404 NotFound
RS 4.4.3 | a | move a > x/y/z | 200 | x x/y x/y/z | +x +x/y ~x/y/z | x/ x/y/ x/y/z=a
RS 4.4.3 | a d/ | move a > d/e/f | 200 | d/e d/e/f | +d/e ~d/e/f | d/ d/e/ d/e/f=a
RS 4.4.3 | a d/ | move a > d/e/f/ | 200 | d/e d/e/f d/e/f/a | +d/e +d/e/f ~d/e/f/a | d/ d/e/ d/e/f/ d/e/f/a=a
C 7 | a | move a > d\ | 200 | d d/a | +d ~d/a | d/ d/a=a
C 7 | a d | move a > d\ ! | 200 | d d/a | -d +d ~d/a | d/ d/a=a
RS 4.4.3 | a b | move a > b/c | 409 Conflict
RS 4.4.3 | a b | move a > b/c ! | 409 Conflict
C 7 | a b | move a > b/c/ ! | 409 Conflict
C 7 | a | move a > a/b ! | 409 Conflict
C 7 | a | move a > a/b/ ! | 409 Conflict
C 7 | d/ d/f | move d/f > d | 409 Conflict
C 7 | d/ d/f | move d/f > d ! | 400 InvalidRequest
C 7 | d/ d/f | move d/f > d/ | 409 Conflict
C 7 | d/ d/f | move d/f > d/ ! | 400 InvalidRequest
C 7 | d/ d/e/ d/e/f | move d/e > d | 400 InvalidRequest
C 7 | d/ d/e/ d/e/f | move d/e > d/ | 400 InvalidRequest
C 7 | d/ d/e/ d/e/f | move d/e > d/ ! | 400 InvalidRequest
C 7 | d/ d/e/ d/e/f | move d/e > d ! | 400 InvalidRequest
C 7 | d/ d/f g | move d/f,g > d | 400 InvalidRequest
C 7 | d/ d/f g | move g,d/f > d ! | 400 InvalidRequest
RS 4.4.5 | d/ d/f | move d > x/y | 200 | x x/y x/y/f | +x ~x/y ~x/y/f | x/ x/y/ x/y/f=d/f
RS 4.4.5 | d/ | move d > d/e | 400 InvalidRequest
RS 4.4.5 | d/ d/e/ | move d > d/e | 400 InvalidRequest
RS 4.4.5 | d/ d/e/ | move d > d/e/f ! | 400 InvalidRequest
RS 4.4.5 | d/ d/e | move d > d/e ! | 400 InvalidRequest
RS 4.4.5 | d/ d/f | move d > d-x | 200 | d-x d-x/f | ~d-x ~d-x/f | d-x/ d-x/f=d/f
RS 4.4.5 | d/ d/f b | move d > b/c ! | 409 Conflict
RS 4.4.6 | d/ d/f d!/ d!/g d- d0 d00/ | move d > x | 200 | x x/f | ~x ~x/f | d!/ d!/g d- d0 d00/ x/ x/f=d/f
RS 4.4.6 | d/ d/é d/z d/😀 d/～ d/Z | move d > x | 200 | x x/Z x/z x/é x/～ x/😀 | ~x ~x/Z ~x/z ~x/é ~x/～ ~x/😀 | x/ x/Z=d/Z x/z=d/z x/é=d/é x/😀=d/😀 x/～=d/～
RS 4.4.6 | a/ a/a/ a/a/a/ a/a/a/a | move a/a > b | 200 | b b/a b/a/a | ~b ~b/a ~b/a/a | a/ b/ b/a/ b/a/a=a/a/a/a
RS 4.4.6 | a/ a/a/ a/a/a/ a/a/a/a | move a/a/a > "" | 409 Conflict
RS 4.4.6 | a/ a/b/ a/b/f | move a/b > b | 200 | b b/f | ~b ~b/f | a/ b/ b/f=a/b/f
RS 4.4.7 | s/ s/x/ s/x/f s/x/g t/ t/x/ t/x/f t/x/h | move s/x > t ! | 200 | t/x/f t/x/g | -t/x/f ~t/x/f ~t/x/g -s/x | s/ t/ t/x/ t/x/f=s/x/f t/x/g=s/x/g t/x/h
RS 4.4.7 | s/ s/x/ s/x/f t/ t/x/ t/x/f/ | move s/x > t ! | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/f/ t/ t/x/ t/x/f | move s/x > t ! | 409 Conflict
RS 4.4.7 | s/ s/x/ s/x/e/ s/x/e/h/ s/x/e/h/f t/ t/x/ t/x/e/ t/x/e/h/ | move s/x > t ! | 200 | t/x/e/h/f | ~t/x/e/h/f -s/x/e -s/x/e/h -s/x | s/ t/ t/x/ t/x/e/ t/x/e/h/ t/x/e/h/f=s/x/e/h/f
RS 4.4.7 | s/ s/x/ s/x/e/ s/x/e/f t/ t/x/ t/x/e/ t/x/e/g | move s/x > t | 409 Conflict
RS 4.4.7 | s/ s/x/ t/ t/x/ | move s/x > t ! | 200 | | -s/x | s/ t/ t/x/
C 7 | a/ a/a/ a/a/x a/x | move a/a > "" ! | 200 | a/x | -a/x ~a/x -a/a | a/ a/x=a/a/x
C 7 | a/ a/a/ a/a/a/ a/a/a/x | move a/a > "" ! | 200 | a/a/x | ~a/a/x -a/a/a | a/ a/a/ a/a/x=a/a/a/x
C 7 | a/ a/a/ a/a/a | move a/a > "" ! | 409 Conflict
C 7 | a/ a/a/ a/a/x a/a/a/ a/a/a/x | move a/a > "" ! | 200 | a/a/x a/x | ~a/a/x ~a/x -a/a/a | a/ a/a/ a/a/x=a/a/a/x a/x=a/a/x
C 7 | a/ a/a/ a/a/a/ a/a/a/x a/a/x | move a/a > "" ! | 200 | a/a/x a/x | ~a/a/x ~a/x -a/a/a | a/ a/a/ a/a/x=a/a/a/x a/x=a/a/x
C 7 | a/ a/a/ a/a/a/ a/a/a/a/ a/a/a/a/f | move a/a > "" ! | 200 | a/a/a/f | ~a/a/a/f -a/a/a/a | a/ a/a/ a/a/a/ a/a/a/f=a/a/a/a/f
C 7 | a/ a/a/ a/a/a/ a/a/a/a/ a/a/a/a/f | move a/a/a > "" ! | 200 | a/a/f | ~a/a/f -a/a/a/a -a/a/a | a/ a/a/ a/a/f=a/a/a/a/f
C 7 | a/ a/a/ a/a/b/ a/a/b/f a/a/a/ a/a/a/b/ a/a/a/b/g | move a/a > "" ! | 200 | a/a/b a/a/b/g a/b a/b/f | ~a/a/b ~a/a/b/g ~a/b ~a/b/f -a/a/a | a/ a/a/ a/a/b/ a/a/b/g=a/a/a/b/g a/b/ a/b/f=a/a/b/f
C 7 | b/ b/a/ b/a/b/ b/a/b/f b/a/b/a/ b/a/b/a/g | move b/a/b > "" ! | 200 | b/a/g b/f | ~b/a/g ~b/f -b/a/b/a -b/a/b | b/ b/a/ b/a/g=b/a/b/a/g b/f=b/a/b/f
C 7 | b/ b/a/ b/a/b/ b/a/b/a/ b/a/b/a/b/ b/a/b/a/b/g | move b/a/b > "" ! | 200 | b/a/b/g | ~b/a/b/g -b/a/b/a -b/a/b/a/b | b/ b/a/ b/a/b/ b/a/b/g=b/a/b/a/b/g
RS 4.4 multiple 1 | b a/ a/f | move b,a > d | 200 | d d/b d/a d/a/f | +d ~d/b ~d/a ~d/a/f | d/ d/a/ d/a/f=a/f d/b=b
RS 4.4 multiple 1 | d/ d/a d/b | move d/a,d/b > "" | 200 | a b | ~a ~b | a=d/a b=d/b d/
RS 4.4 multiple 1 | a b | move a,b > x/y | 200 | x x/y x/y/a x/y/b | +x +x/y ~x/y/a ~x/y/b | x/ x/y/ x/y/a=a x/y/b=b
C 7 | a b | move b,a > d | 200 | d d/b d/a | +d ~d/b ~d/a | d/ d/a=a d/b=b
C 7 | b/ b/z b/y a d/ | move b,a > d | 200 | d/b d/b/y d/b/z d/a | ~d/b ~d/b/y ~d/b/z ~d/a | d/ d/a=a d/b/ d/b/y=b/y d/b/z=b/z
RS 4.4 multiple 2 | a | move a,zz > d | 404 NotFound
RS 4.4 multiple 2 | a B:b | admin move a,b > d | 400 InvalidRequest
RS 4.4 multiple 2 | p/ p/x q/ q/x | move p/x,q/x > d | 409 Conflict
RS 4.4 multiple 2 | p/ p/x q/ q/x | move p/x,q/x > d ! | 409 Conflict
RS 4.4 multiple 3 | d/ d/e/ f | move f,d > d/e | 400 InvalidRequest
RS 4.4 multiple 3 | d/ f | move f,d > d/new ! | 400 InvalidRequest
RS 4.4 multiple 3 | d/ d/a b | move d/a,b > "" | 400 InvalidRequest
RS 4.4 multiple 3 | d/ d/a b | move d/a,b > "" ! | 400 InvalidRequest
RS 4.4 multiple 4 | a b c | move a,b > c/d | 409 Conflict
RS 4.4 multiple 4 | a b | move a,b > a/d ! | 409 Conflict
C 7 | a/ a/b/ a/b/f | move a/b,a > d | 200 | d d/b d/b/f d/a | +d ~d/b ~d/b/f ~d/a | d/ d/a/ d/b/ d/b/f=a/b/f
C 7 | a/ a/b/ a/b/f | move a,a/b > d | 400 InvalidRequest
C 7 | a/ a/b d/ d/b | move a,a/b > d | 400 InvalidRequest
C 7 | x/ x/q/ x/q/f d/ d/q/ d/q/f | move x/q,d/q/f > d ! | 400 InvalidRequest
RS 4.4 multiple 5 | x/ x/q/ x/q/f d/ d/q/ d/q/f d/f/ | move x/q,d/q/f > d ! | 409 Conflict
C 7 | x/ x/q/ x/q/z/ x/q/z/f d/ d/q/ d/q/z/ | move x/q,d/q/z > d ! | 200 | d/z/f d/z | ~d/z/f ~d/z -x/q/z -x/q | d/ d/q/ d/z/ d/z/f=x/q/z/f x/
RS 4.4 multiple 5 | x/ x/q/ x/q/z/ x/q/z/s/ d/ d/q/ d/q/z/ d/z/ d/z/s/ | move x/q,d/q/z > d ! | 200 | | -x/q/z -x/q -x/q/z/s -d/q/z | d/ d/q/ d/z/ d/z/s/ x/
RS 4.4 multiple 5 | a/ a/f b/ b/g t/ t/a/ t/a/f t/b | move b,a > t ! | 200 | t/b t/b/g t/a/f | -t/b -t/a/f ~t/b ~t/b/g ~t/a/f -a | t/ t/a/ t/a/f=a/f t/b/ t/b/g=b/g
C 7 | a | copy a > a | 400 InvalidRequest
C 7 | | copy a > a ! | 400 InvalidRequest
RS 4.5.8 | a | copy a > "" | 400 InvalidRequest
C 7 | a b | copy a,b > "" | 400 InvalidRequest
RS 4.5.1 | a | copy  > b | 400 InvalidRequest
RS 4.5.1 | | copy a > b | 404 NotFound
RS 4.5.1 | a | copy a > ../b | 400 InvalidRequest
RS 4.5.1 | a | copy a > ./b//c | 200 | b b/c | +b +b/c | a b/ b/c=a
RS 4.5.1 | a b | copy b,a,./a > d | 200 | d d/b d/a | +d +d/b +d/a | a b d/ d/a=a d/b=b
RS 4.5.2 | a | copy a > b | 200 | b | +b | a b=a
RS 4.5.2 | d/ d/f d/e/ d/e/g | copy d > x/y | 200 | x x/y x/y/e x/y/e/g x/y/f | +x +x/y +x/y/e +x/y/e/g +x/y/f | d/ d/e/ d/e/g d/f x/ x/y/ x/y/e/ x/y/e/g=d/e/g x/y/f=d/f
RS 4.5.3 | a b | copy a > b ! | 200 | b | -b ~b | a b=a
RS 4.5.3 | a | copy a > x/y | 200 | x x/y | +x +x/y | a x/ x/y=a
RS 4.5.3 | a | copy a > x/y\ | 200 | x x/y x/y/a | +x +x/y +x/y/a | a x/ x/y/ x/y/a=a
RS 4.5.3 | a b | copy a > b/c ! | 409 Conflict
RS 4.5.3 | a | copy a > a/b ! | 409 Conflict
C 7 | d/ d/f | copy d/f > d | 409 Conflict
C 7 | d/ d/f | copy d/f > d ! | 400 InvalidRequest
C 7 | d/ d/f g | copy d/f,g > d ! | 400 InvalidRequest
RS 4.5.4 | d/ d/f | copy d > d/e | 400 InvalidRequest
RS 4.5.4 | d/ d/e/ | copy d > d/e ! | 400 InvalidRequest
RS 4.5.4 | d/ d/f | copy d > d-e | 200 | d-e d-e/f | +d-e +d-e/f | d-e/ d-e/f=d/f d/ d/f
RS 4.5.4 | d/ d/f b | copy d > b/c ! | 409 Conflict
RS 4.5.4 | d/ d/f t | copy d > x/t | 200 | x x/t x/t/f | +x +x/t +x/t/f | d/ d/f t x/ x/t/ x/t/f=d/f
RS 4.5.4 | d/ d/f d!/ d!/g d0 | copy d > x | 200 | x x/f | +x +x/f | d!/ d!/g d/ d/f d0 x/ x/f=d/f
RS 4.5.7 | s/ s/f s/e/ s/e/g t/ t/f t/e/ | copy s > t ! | 200 | t/e/g t/e t/f | -t/f +t/e/g ~t/e ~t/f | s/ s/e/ s/e/g s/f t/ t/e/ t/e/g=s/e/g t/f=s/f
RS 4.5.5 | s/ s/f t/ t/f/ | copy s > t ! | 409 Conflict
RS 4.5.5 | s/ s/f/ t/ t/f | copy s > t ! | 409 Conflict
RS 4.5.5 | s/ s/f t/ t/f | copy s > t | 409 Conflict
RS 4.5.5 | s/ s/e/ t/ t/e/ | copy s > t ! | 200 | t/e | ~t/e | s/ s/e/ t/ t/e/
C 7 | a b d/ d/a d/b | copy b,a > d ! | 200 | d/b d/a | -d/b -d/a ~d/b ~d/a | a b d/ d/a=a d/b=b
C 7 | s/ s/f b/ b/c | copy s > b/c ! | 200 | b/c b/c/f | -b/c +b/c +b/c/f | b/ b/c/ b/c/f=s/f s/ s/f
C 7 | s/ s/f b | copy s > b\ ! | 200 | b b/f | -b +b +b/f | b/ b/f=s/f s/ s/f
RS 4.5.6 | a | copy a,zz > d | 404 NotFound
RS 4.5.6 | a B:b | admin copy a,b > d | 400 InvalidRequest
RS 4.5.6 | p/ p/x q/ q/x | copy p/x,q/x > d ! | 409 Conflict
RS 4.5.6 | d/ d/e/ f | copy f,d > d/e | 400 InvalidRequest
RS 4.5.6 | a b c | copy a,b > c/d ! | 409 Conflict
RS 4.5.6 | s/ s/x/ s/x/f y t/ t/x/ t/x/f t/y | copy y,s/x > t ! | 200 | t/y t/x/f | -t/y -t/x/f ~t/y ~t/x/f | s/ s/x/ s/x/f t/ t/x/ t/x/f=s/x/f t/y=y y
RS 4.5.6 | s/ s/x/ s/x/f y t/ t/x/ t/x/f/ t/y | copy y,s/x > t ! | 409 Conflict
C 7 | a/ a/b | copy a,a/b > d | 200 | d d/a d/a/b d/b | +d +d/a +d/a/b +d/b | a/ a/b d/ d/a/ d/a/b=a/b d/b=a/b
C 7 | a/ a/b | copy a/b,a > d | 200 | d d/b d/a d/a/b | +d +d/b +d/a +d/a/b | a/ a/b d/ d/a/ d/a/b=a/b d/b=a/b
C 7 | x/ x/q/ x/q/z/ x/q/z/n d/ d/q/ d/q/z/ d/q/z/f | copy x/q,d/q/z > d ! | 200 | d/q/z/n d/z d/z/f d/q/z | +d/q/z/n +d/z +d/z/f ~d/q/z | d/ d/q/ d/q/z/ d/q/z/f d/q/z/n=x/q/z/n d/z/ d/z/f=d/q/z/f x/ x/q/ x/q/z/ x/q/z/n
C 7 | a/ a/a/ a/a/f a/f | copy a/a > a ! | 200 | a/f | -a/f ~a/f | a/ a/a/ a/a/f a/f=a/a/f
C 7 | a/ a/a/ a/a/f a/a/a/ a/a/a/f | copy a/a > a ! | 200 | a/f a/a a/a/f | -a/a/f +a/f ~a/a ~a/a/f | a/ a/a/ a/a/a/ a/a/a/f a/a/f=a/a/a/f a/f=a/a/f
C 7 | a/ a/a/ a/a/a | copy a/a > a ! | 409 Conflict
RS 1.4 | B:f | admin move f > g | 200 | g | B:~g | B:g=B:f
RS 1.4 | f B:f | admin move f > g | 200 | g | ~g | B:f g=f
RS 1.4 | t/ B:f | admin move f > t | 200 | t | B:~t | B:t=B:f t/
RS 1.4 | B:t/ B:f | admin move f > t | 200 | t/f | B:~t/f | B:t/ B:t/f=B:f
RS 1.4 | B:f B:g | admin move f,g > d | 200 | d d/f d/g | B:+d B:~d/f B:~d/g | B:d/ B:d/f=B:f B:d/g=B:g
RS 1.4 | B:d/ B:d/f | admin copy d > e | 200 | e e/f | B:+e B:+e/f | B:d/ B:d/f B:e/ B:e/f=B:d/f
RS 1.4 | f B:f B:g | admin delete f g | 200 | f g | -f B:-g | B:f
RS 1.3 | B:d/ B:d/f | copy d > e | 404 NotFound
RS 4.6.1 | a | delete | 400 InvalidRequest
RS 4.6.1 | a | delete a ../b | 400 InvalidRequest
RS 4.6.2 | a | delete a zz | 404 NotFound
RS 4.6.3 | a/ a/f a/e/ a/e/g b | delete a | 200 | a a/e a/e/g a/f | -a -a/e -a/e/g -a/f | b
RS 4.6.3 | a/ a/f | delete a/f a | 200 | a a/f | -a -a/f |
RS 4.6.3 | a/ a/c a!b a-b a0 | delete a | 200 | a a/c | -a -a/c | a!b a-b a0
RS 4.6.5 | d/ d/é d/z d/～ d/😀 b | delete d b | 200 | b d d/z d/é d/～ d/😀 | -b -d -d/z -d/é -d/～ -d/😀 |
RS 4.3.1 | | mkdir x/y/z | 200 | x/y/z | +x +x/y +x/y/z | x/ x/y/ x/y/z/
RS 4.3.1 | x/ | mkdir x/y | 200 | x/y | +x/y | x/ x/y/
RS 4.3.1 | x/ x/y/ | mkdir x/y | 200 | x/y | | x/ x/y/
RS 4.3.1 | | mkdir ./x//y/ | 200 | x/y | +x +x/y | x/ x/y/
RS 4.3.2 | | mkdir .. | 400 InvalidRequest
RS 4.3.3 | x | mkdir x | 409 AlreadyExists
RS 4.3.3 | x | mkdir x/y/z | 409 AlreadyExists
RS 4.2.1 | | upload ../d:f | 400 InvalidRequest
RS 4.2.3 | | upload d: | 400 InvalidRequest
RS 4.2.4 | | upload d:f? | 400 InvalidData
RS 4.2.5 | f | upload :f | 409 AlreadyExists
RS 4.2.5 | d/ d/f | upload d:e f | 409 AlreadyExists
RS 4.2.5 | | upload d:f f | 409 AlreadyExists
RS 4.2.5 | d/ | upload :d | 409 AlreadyExists
RS 4.2.7 | d | upload d:f | 409 AlreadyExists
RS 4.2.7 | d | upload d/e:f | 409 AlreadyExists
RS 4.2.9 | | upload d/e:g f | 200 | d/e/g d/e/f | +d +d/e +d/e/g +d/e/f | d/ d/e/ d/e/f d/e/g
RS 4.2.9 | d/ | upload d:f | 200 | d/f | +d/f | d/ d/f
`;
