// The operational routes of every service: /livez, /readyz and /metrics (operations page, "What every service has").
import Type from 'typebox';
import { boundedRead } from '../metrics/bounded-read.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { isForwarded } from './forwarding.ts';
import type { HttpApp } from './http-app.ts';

/** They are the whole process's: no tenant's, and served before the service is ready. */
export const OPERATIONAL_ROUTES: ReadonlySet<string> = new Set(['/livez', '/readyz', '/metrics']);

/** One condition of readiness; `check` resolves to undefined when it holds and to the reason when it does not. */
export interface ReadinessCheck {
  readonly name: string;
  check(): Promise<string | undefined>;
}

/** They are the whole process's: at a tenant's address there is nothing. */
const AT_TENANTS = ['not_found'] as const;

export function registerOperations(
  app: HttpApp,
  site: { metrics: Metrics; readiness: readonly ReadinessCheck[] },
): void {
  const conditions = boundedConditions(site.readiness);
  exportReadiness(site.metrics, conditions);
  app.get(
    '/livez',
    {
      config: { permission: 'public', errors: AT_TENANTS },
      schema: {
        tags: ['operations'],
        summary: 'Whether the process is up',
        response: { 200: Type.Object({ status: Type.String() }) },
      },
    },
    async () => ({ status: 'ok' }),
  );
  app.get(
    '/readyz',
    {
      config: { permission: 'public', errors: AT_TENANTS },
      schema: {
        tags: ['operations'],
        summary: 'Whether requests can be served; 503 with the reasons otherwise',
        response: {
          200: Type.Object({ status: Type.String() }),
          503: Type.Object({ status: Type.String(), reasons: Type.Array(Type.String()) }),
        },
      },
    },
    async (_request, reply) => {
      const reasons = await failing(conditions);
      if (reasons.length === 0) return { status: 'ready' };
      return reply.code(503).header('retry-after', '2').send({ status: 'not_ready', reasons });
    },
  );
  app.get(
    '/metrics',
    {
      config: { permission: 'public', errors: ['not_found'] },
      schema: {
        operationId: 'getPrometheusMetrics',
        tags: ['operations'],
        summary: 'Metrics in the Prometheus text format, for who asks this port itself; through a gateway or proxy 404',
        response: { 200: { content: { 'text/plain': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      if (isForwarded(request.raw)) return reply.callNotFound();
      return reply.type(site.metrics.registry.contentType).send(await site.metrics.text());
    },
  );
}

/** Less than a metric may take altogether, and less than who asks `/readyz` waits for a response. */
const CHECK_MS = 4_000;

const LATE = `no answer within ${CHECK_MS / 1000} s`;

/** A check that ends in time: one that does not is one that fails. */
interface Condition {
  readonly name: string;
  /** The reason why it does not hold; undefined when it does. */
  readonly read: () => Promise<string | undefined>;
}

/**
 * A database or host that has stopped answering would hold up `/readyz` for as long as a statement may take. Each check
 * runs once at a time, so that probes hold no more than one connection meanwhile.
 */
function boundedConditions(checks: readonly ReadinessCheck[]): readonly Condition[] {
  return checks.map((check) => {
    const read = boundedRead(async () => ({ reason: await reasonOf(check) }), CHECK_MS);
    return {
      name: check.name,
      read: async () => {
        const found = await read();
        return found === undefined ? LATE : found.reason;
      },
    };
  });
}

/** What `/readyz` says, for who watches by metrics alone. The checks run when it is scraped. */
function exportReadiness(metrics: Metrics, conditions: readonly Condition[]): void {
  metrics.gauges('kedja_ready', 'Whether each condition of /readyz holds: 1 or 0', ['check'], () =>
    Promise.all(
      conditions.map(async ({ name, read }) => ({
        labels: { check: name },
        value: (await read()) === undefined ? 1 : 0,
      })),
    ),
  );
}

/** The reasons of the checks that fail; empty when all pass. */
export async function failingChecks(checks: readonly ReadinessCheck[]): Promise<string[]> {
  return failing(checks.map((check) => ({ name: check.name, read: () => reasonOf(check) })));
}

async function reasonOf({ check }: ReadinessCheck): Promise<string | undefined> {
  return check().catch(() => 'the check itself failed');
}

async function failing(conditions: readonly Condition[]): Promise<string[]> {
  const results = await Promise.all(
    conditions.map(async ({ name, read }) => {
      const reason = await read();
      return reason === undefined ? [] : [`${name}: ${reason}`];
    }),
  );
  return results.flat();
}
