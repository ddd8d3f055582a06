import { serve } from "./rpc.ts";
import { Writer } from "./writer.ts";

serve(new Writer());
