// The whole system on an empty database, with the options of the demo's loader.
import { systemClock } from '#lib/clock.ts';
import type { DemoOptions } from '../../../demo/load.ts';
import { startDemoReceiver } from '../../../demo/receiver.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { freePorts } from './free-ports.ts';
import { ADMIN, originOf, startWholeSystem, type WholeSystem } from './whole-system.ts';

export async function startDemoSystem(
  hooks: Hooks,
): Promise<DemoOptions & Pick<WholeSystem, 'dataDir' | 'databaseUrl'>> {
  const ordered = lastFirst(hooks);
  const { dataDir, databaseUrl, identity, engine, dispatch } = await startWholeSystem(ordered, {
    KEDJA_WEBHOOK_ALLOW_PRIVATE: 'true',
    KEDJA_WEBHOOK_RETRY_SECONDS: '1',
    KEDJA_RATE_LIMIT_LOGIN: '1000',
    KEDJA_RATE_LIMIT_REGISTER: '1000',
    KEDJA_RATE_LIMIT_ACCESS_REQUEST: '1000',
  });
  const [dead = 0] = await freePorts(1);
  const receiver = await startDemoReceiver({ port: 0, dataDir, clock: systemClock });
  ordered.after(() => receiver.close());
  return {
    dataDir,
    databaseUrl,
    identity,
    engine,
    dispatch,
    admin: ADMIN,
    receiver,
    deadUrl: `${originOf(dead)}/webhook`,
    clock: systemClock,
    onProgress: () => undefined,
  };
}
