import { serve } from "../threads/rpc.ts";
import { Writer } from "./writer.ts";

serve(new Writer());
