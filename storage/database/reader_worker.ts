import { Reader } from "./reader.ts";
import { serve } from "../threads/rpc.ts";

serve(new Reader());
