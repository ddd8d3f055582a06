/**
 * Version of the findings. Increment it with every change of what scanners find: stored results of another
 * version are discarded.
 */
export const SCANNERS_VERSION = "13";

/**
 * Version of the facts (C 29). Increment it when scanners say more of content, or say it otherwise: content with
 * facts of a lower version is scanned again.
 */
export const FACTS_VERSION = 2;

/**
 * Version of the lists of tensors (C 29). Increment it when a list says something else of the same content: lists of
 * another version are made anew.
 */
export const TENSORS_VERSION = 1;
