/** Something that is to be called as a rebuilder of tensors is none. */
export const ODD_REBUILD = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  message: "Rebuilds a tensor by something that rebuilds no tensors",
  why: "What it is given is called while the pickle is loading",
} as const;

/** A class is called whose constructor does more than construct. */
export const CONSTRUCTED = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  why: "Its constructor runs code or opens files by what it is given; picklers do without it",
} as const;

/** Where arrays end can not be told from the instructions alone. */
export const BLURRED = {
  name: "Pickle Structure",
  severity: "warning",
  ruleCode: "S902",
  message: "Calls give back objects on which it depends where the bytes of arrays end",
  why: "Instructions can lie in what is taken for an array",
} as const;
