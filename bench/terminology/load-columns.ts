// How a node loads the columns of a large code system from the database: how long it takes, and how long others wait
// meanwhile.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { nameKey } from '#fhir/search/extract/keys.ts';
import { readColumnsOf } from '#fhir/store/definitions/code-system-columns.ts';
import { CodeSystemModel } from '#fhir/terminology/model/code-system-model.ts';
import type { Database } from '#lib/db/database.ts';
import { LARGE_URL } from '#test/support/engine/large-code-system.ts';
import { type Figure, medianOf } from '../report.ts';

const RUNS = 3;
const MUST_SECONDS = 5;
const MUST_BYTES = 400;

export function loadFigures(database: Database): Promise<Figure[]> {
  return columnFigures(database, LARGE_URL);
}

/** The same of an imported code system. */
export async function columnFigures(database: Database, url: string): Promise<Figure[]> {
  const { rows } = await database.query<{ content: string }>(
    'SELECT content FROM fhir_resource WHERE type = $1 AND strpos(content, $2) > 0',
    [nameKey('CodeSystem'), `"${url}"`],
  );
  const resource = JSON.parse(rows[0]?.content ?? '{}') as Record<string, unknown>;
  const [seconds, waits]: [number[], number[]] = [[], []];
  let bytes = Number.NaN;
  for (let run = 0; run < RUNS; run += 1) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const columns = await readColumnsOf(database, resource);
    if (columns === undefined) throw new Error('the code system has no columns');
    const model = new CodeSystemModel(columns);
    seconds.push((performance.now() - startedAt) / 1000);
    delay.disable();
    waits.push(delay.max / 1e6);
    bytes = model.byteLength / model.size;
  }
  const took = medianOf(seconds);
  return [
    {
      name: 'memory of a code',
      value: `${Math.round(bytes)} bytes`,
      must: `≤ ${MUST_BYTES}`,
      isMet: bytes <= MUST_BYTES,
    },
    { name: 'loading it', value: `${took.toFixed(2)} s`, must: `< ${MUST_SECONDS} s`, isMet: took < MUST_SECONDS },
    { name: 'the longest that others wait meanwhile', value: `${medianOf(waits).toFixed(1)} ms` },
  ];
}
