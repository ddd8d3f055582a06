import { ContentTasks } from "./content_tasks.ts";
import { serve } from "../threads/rpc.ts";

serve(new ContentTasks());
