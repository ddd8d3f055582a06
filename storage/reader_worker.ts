import { Reader } from "./reader.ts";
import { serve } from "./rpc.ts";

serve(new Reader());
