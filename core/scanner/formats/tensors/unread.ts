/** Why content, or a part of it, can't be read. */
export interface Unreadable {
  /** A word for it, such as `truncated_header`. */
  readonly reason: string;
  readonly message: string;
  /** Whether it is a bound of ours that it exceeds. */
  readonly operational?: boolean;
}
