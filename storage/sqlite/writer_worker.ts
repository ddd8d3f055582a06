import { exposeToParent } from "../threads/rpc.ts";
import { Writer } from "./writer.ts";

exposeToParent(new Writer());
