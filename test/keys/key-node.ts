// A node of identity that follows a key folder.
import { openKeyFolder } from '../../runtime/keys/keys.ts';
import type { Hooks } from '../support/hooks.ts';
import { makeTestLogger } from '../support/http-app.ts';
import { type handClock, type identityDatabase, startIdentity } from '../support/identity/identity.ts';

interface Shared {
  /** The nodes' database. */
  readonly on: Awaited<ReturnType<typeof identityDatabase>>;
  readonly clock: ReturnType<typeof handClock>;
}

/** The node reads the folder again when it is woken; `lines` are its log. */
export async function startKeyNode(hooks: Hooks, dataDir: string, { on, clock }: Shared) {
  const folder = openKeyFolder(dataDir, clock);
  const keys = await folder.keySet('personnummer');
  const node = await startIdentity(hooks, { on, clock, sealingKeys: keys });
  const lines: string[] = [];
  const loop = folder.follow(makeTestLogger(lines));
  loop.start();
  hooks.after(() => loop.stop());
  return { node, keys, lines, wake: loop.wake };
}
