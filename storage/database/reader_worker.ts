import { Reader } from "./reader.ts";
import { exposeToParent } from "../threads/rpc.ts";

exposeToParent(new Reader());
