import { ContentTasks } from "./content_tasks.ts";
import { exposeToParent } from "../threads/rpc.ts";

exposeToParent(new ContentTasks());
