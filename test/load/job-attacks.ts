// Attacks on what goes on behind a request: imports, and what nodes take up of stored definitions. What they set going counts as the request does.
import { type Attack, type AttackRequest, listOf, type Sent, until } from './attack.ts';

const MEBIBYTE = 1024 * 1024;
const ENGINE = '/engine/api/v1';

const filled = (item: string, bytes: number): string => listOf(item, Math.floor(bytes / (item.length + 1)));
const named = (id: string, bytes: number): string =>
  `{"resourceType":"Patient","id":"${id}","name":${filled('{"text":"a b c"}', bytes)}}`;
const answered = (id: string, bytes: number): string =>
  `{"resourceType":"Questionnaire","id":"${id}","status":"draft","extension":${filled('{"url":"http://a","valueCode":"a"}', bytes)}}`;

function importOf(lines: readonly string[]): AttackRequest {
  const headers = { 'content-type': 'application/fhir+ndjson', prefer: 'respond-async' };
  return { method: 'POST', path: `${ENGINE}/$import`, headers, body: lines.join('\n') };
}

/** The job is done, and it has made so many resources or refused so many lines. */
async function imported(sent: Sent): Promise<void> {
  const { pathname } = new URL(sent.headers.get('content-location') ?? '');
  await until(sent, pathname, ({ status }) => status !== 202);
}

export const JOB_ATTACKS: readonly Attack[] = [
  {
    name: 'an import of one line as long as may be',
    who: 'admin',
    answers: [202],
    request: () => importOf([answered('freeze-line', 9.5 * MEBIBYTE)]),
    settle: imported,
  },
  {
    name: 'an import of one line of millions of empty lists',
    who: 'admin',
    answers: [202],
    request: () => importOf([`{"resourceType":"Patient","name":${filled('[]', 9.5 * MEBIBYTE)}}`]),
    settle: imported,
  },
  {
    name: 'an import of lines that are nearly long',
    who: 'admin',
    answers: [202],
    request: () => importOf(Array.from({ length: 60 }, (_, index) => named(`freeze-${index}`, 60_000))),
    settle: imported,
  },
  {
    name: 'an import of many short lines',
    who: 'admin',
    answers: [202],
    request: () => importOf(Array.from({ length: 6_000 }, (_, index) => named(`freeze-short-${index}`, 100))),
    settle: imported,
  },
];
