/** Runs an attack in a thread of its own, so that what it does here does not delay the others. */

import { exposeToParent } from "../../storage/threads/rpc.ts";
import { Attacker, type Target } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

export class AttackThread {
  #attacker: Attacker | undefined;

  /** Attacks until it is ended. Returns how many replies it has read, by status. */
  async run(name: string, target: Target): Promise<ReadonlyMap<number, number>> {
    const attack = ATTACKS.find((attack) => attack.name === name);
    if (attack === undefined) throw new Error(`No attack ${name}`);
    using attacker = this.#attacker = new Attacker(target);
    await attack.run(attacker);
    await attacker.untilEnd();
    return attacker.replies;
  }

  /** Closes all connections of the attack. */
  end(): void {
    this.#attacker?.[Symbol.dispose]();
  }
}

exposeToParent(new AttackThread());
