import { ContentTasks } from "./content_tasks.ts";
import { serve } from "./rpc.ts";

serve(new ContentTasks());
