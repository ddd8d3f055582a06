/** Where a configuration comes from, on which it depends what is done with it. */
export interface ConfigOrigin {
  readonly kind: "config" | "h5" | "saved_model";
  /** The version of Keras that has written it, where that is known from elsewhere. */
  readonly kerasVersion?: string | undefined;
}
