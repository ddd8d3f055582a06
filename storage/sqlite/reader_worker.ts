import { exposeToParent } from "../threads/rpc.ts";
import { readerTasks } from "./reader_tasks.ts";

exposeToParent(readerTasks());
