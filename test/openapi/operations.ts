// Calls of operators and other services: health, metrics, status, audit events.
import type { Recorder } from './recorder.ts';
import { SETTING } from './setting.ts';

const MEASURED = { uptime_s: 3600, latency_ms: 1.2, free_bytes: 52_000_000_000, total_bytes: 100_000_000_000 };
const NODE = { host: 'engine-1', pid: 1, runtime: 'node v26.10.0', platform: 'linux x64' };
const ROUTE = {
  method: 'GET',
  route: '/api/v1/Patient/:id',
  count: 1200,
  errors: 0,
  mean_ms: 0.9,
  p50_ms: 0.8,
  p95_ms: 1.6,
  p99_ms: 2.9,
};
const CACHE = { cache: 'sessions', hits: 980, misses: 20, hit_rate: 0.98 };
const PROMETHEUS = 'kedja_http_requests_total{method="GET",route="/api/v1/Patient/:id",status="200"} 1200\n';

export async function operations({ example }: Recorder): Promise<void> {
  await example('GET //livez');
  await example('GET //readyz');
  await example('GET //metrics', { text: PROMETHEUS });
  await example('GET /health', { varies: MEASURED });
  const requests = { total: 1200, errors: 0, routes: [ROUTE] };
  const process = { memory_bytes: 210_000_000, cpu_s: 95.5, uptime_s: 3600 };
  const counts = { Patient: 100, Observation: 4000 };
  const varies = { requests, process, resources: counts, caches: [CACHE], jobs: [] };
  await example('GET /metrics', { as: 'admin', varies });
  await example('GET /settings', { as: 'admin', varies: { settings: [SETTING] } });
  await example('GET /status', { as: 'admin', varies: { node: NODE, counts, jobs: [], servers: [] } });
  const job = {
    job_guid: '01900000-0000-7000-8000-0000000000b7',
    kind: 'export',
    state: 'running',
    percent: 35,
    counts: { resources: 350 },
    fault: null,
    is_own: true,
    created_at: '2026-03-02T08:00:00.000Z',
    finished_at: null,
    cancelled_by: null,
  };
  await example('GET /bulk-jobs', { as: 'admin', varies: { data: [job], total: 1 } });
  const event = {
    resourceType: 'AuditEvent',
    id: '01900000-0000-7000-8000-0000000000ae',
    code: { coding: [{ system: 'http://hl7.org/fhir/restful-interaction', code: 'read' }] },
    recorded: '2026-03-02T08:00:00Z',
    agent: [{ who: { display: 'Kim Berg' }, requestor: true }],
    source: { observer: { display: 'kedja-dispatch' } },
  };
  await example('POST /audit-events', { as: 'service', body: { events: [event] }, status: 204 });
  const observation = { resourceType: 'Observation', id: '01900000-0000-7000-8000-0000000000b1', status: 'final' };
  const reported = {
    report_guid: '01900000-0000-7000-8000-0000000000b2',
    request_guid: '01900000-0000-7000-8000-0000000000b3',
    provider_guid: '01900000-0000-7000-8000-0000000000b4',
    patient_guid: '01900000-0000-7000-8000-0000000000b5',
    organisation_guid: '01900000-0000-7000-8000-0000000000b6',
    resources: [JSON.stringify({ ...observation, code: { text: 'Body weight' } })],
  };
  await example('POST /results', { as: 'service', body: reported, status: 204 });
  const row = {
    event_guid: '01900000-0000-7000-8000-0000000000af',
    at: '2026-03-02T08:00:00.000Z',
    who: { name: 'Kim Berg', role: 'nurse', unit: 'Region Norr' },
    action: 'read',
    what: 'Read 1 care plan',
    why: 'plan',
    outcome: 'success',
  };
  await example('GET /access-log', { as: 'patient', parameters: { lang: 'en' }, varies: { data: [row] } });
  const csv =
    'Time,Who,Role,Unit,What,Why,Outcome\r\n2026-03-02T08:00:00.000Z,Kim Berg,nurse,Region Norr,Read 1 care plan,care plan,done\r\n';
  await example('GET /access-log/export', { as: 'patient', parameters: { format: 'csv', lang: 'en' }, text: csv });
}
