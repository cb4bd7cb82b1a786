// What needs an operator: each finding is a sentence, and where there is one the screen that helps.
import type { DispatchStatus, EngineHealth, EngineStatus, IdentityStatus, ServiceState } from './state.ts';

/** What was read; undefined is what could not be, and what was not yet. */
export interface Observed {
  readonly services?: readonly ServiceState[] | undefined;
  readonly identity?: Pick<IdentityStatus, 'mails'> | undefined;
  readonly dispatch?: Pick<DispatchStatus, 'deliveries' | 'results' | 'mails'> | undefined;
  readonly health?: Pick<EngineHealth, 'checks'> | undefined;
  readonly engine?: Pick<EngineStatus, 'jobs' | 'servers'> | undefined;
}

export type FindingKind =
  | 'unreachable'
  | 'notReady'
  | 'someNodes'
  | 'deadDeliveries'
  | 'lateDeliveries'
  | 'refusedResults'
  | 'lateResults'
  | 'deadMails'
  | 'lateMails'
  | 'lateCalls'
  | 'disk'
  | 'server'
  | 'failedJobs';

export interface Finding {
  readonly kind: FindingKind;
  /** A service, a server, or a kind of job. */
  readonly name?: string;
  readonly count?: number;
  readonly seconds?: number;
  readonly to?: string;
}

/** What has waited longer is late: as the alerts have it (deploy/prometheus/alerts.yml). */
const LATE_S = 300;

export function findingsOf({ services = [], identity, dispatch, health, engine }: Observed): readonly Finding[] {
  const mails = [identity?.mails, dispatch?.mails].flatMap((queue) => queue ?? []);
  const deadMails = mails.reduce((sum, { dead }) => sum + dead, 0);
  return [
    ...services.flatMap(serviceFinding),
    ...late('lateDeliveries', dispatch?.deliveries),
    ...given('deadDeliveries', dispatch?.deliveries.dead).map((finding) => ({ ...finding, to: '/admin/letters' })),
    ...late('lateResults', dispatch?.results),
    ...given('refusedResults', dispatch?.results.dead),
    ...mails.flatMap((queue) => late('lateMails', queue)).slice(0, 1),
    ...given('deadMails', deadMails),
    ...late('lateCalls', { waiting: health?.checks.queue.waiting ?? 0, oldest_s: health?.checks.queue.oldest_s ?? 0 }),
    ...(health?.checks.disk.status === 'degraded' ? [{ kind: 'disk' as const }] : []),
    ...(engine?.servers ?? []).flatMap(({ name, status }): Finding[] =>
      status === 'down' ? [{ kind: 'server', name, to: '/operate/servers' }] : [],
    ),
    ...(engine?.jobs ?? []).flatMap(({ kind, state, count }): Finding[] =>
      state === 'failed'
        ? [{ kind: 'failedJobs', name: kind, count, to: kind === 'synchronize' ? '/operate/servers' : '/operate/bulk' }]
        : [],
    ),
  ];
}

function serviceFinding({ name, state, ready_nodes: ready, nodes }: ServiceState): Finding[] {
  if (state === 'unreachable') return [{ kind: 'unreachable', name }];
  if (state === 'not_ready') return [{ kind: 'notReady', name }];
  return ready < nodes ? [{ kind: 'someNodes', name, count: nodes - ready }] : [];
}

function late(kind: FindingKind, queue?: { readonly waiting: number; readonly oldest_s: number }): Finding[] {
  if (queue === undefined || queue.oldest_s <= LATE_S) return [];
  return [{ kind, count: queue.waiting, seconds: queue.oldest_s }];
}

function given(kind: FindingKind, count = 0): Finding[] {
  return count > 0 ? [{ kind, count }] : [];
}
