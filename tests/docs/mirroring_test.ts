import { HubDouble } from "../support/hub_double.ts";
import { modelFile } from "../support/models.ts";
import { freePort } from "../support/ports.ts";
import { guideTest } from "./guide.ts";

/** The hub that the guide mirrors. */
const hub = HubDouble.start();
hub.add("Qwen/Qwen2.5-0.5B-Instruct", {
  "config.json": '{ "model_type": "qwen2", "hidden_size": 896 }\n',
  "README.md": "# A model\n",
  "model.safetensors": { content: await modelFile("safetensors/perceptron.safetensors") },
});
/** The server without a network. */
const inside = freePort();

guideTest("docs/guides/mirroring.md", {
  serves: false,
  env: { STRONGROOM_MIRROR_HOSTS: hub.contentHost },
  edit: (text) =>
    text.replace("https://huggingface.co", hub.url).replaceAll("8090", String(inside)),
});
