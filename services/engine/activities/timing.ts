// The rules of FHIR R5 Timing.repeat (hl7.org/fhir/R5/datatypes.html#Timing, tim-1 … tim-10) that a JSON Schema cannot
// express.
import type { Issue } from '#lib/errors.ts';
import { isFields } from '#lib/http/body-check.ts';

const EVENTS = new Set(
  'MORN MORN.early MORN.late NOON AFT AFT.early AFT.late EVE EVE.early EVE.late NIGHT PHS IMD HS WAKE C CM CD CV AC ACM ACD ACV PC PCM PCD PCV'.split(
    ' ',
  ),
);

/** Returns every issue of a timing. Its fields may have any type. `field` is its path in the body. */
export function timingIssues(timing: unknown, field: string): Issue[] {
  if (!isFields(timing) || Array.isArray(timing)) return [];
  const issues: Issue[] = [];
  const demand = (holds: boolean, message: string) => {
    if (!holds) issues.push({ field, message: `'${field}': ${message}`, code: 'invariant' });
  };
  const { duration, durationMax, durationUnit, period, periodMax, periodUnit, count, countMax, offset } = timing;
  const given: readonly unknown[] = Array.isArray(timing['when']) ? timing['when'] : [];
  const when = given.filter((event) => typeof event === 'string');
  demand(Object.keys(timing).length > 0, 'a timing says at least something');
  demand(duration === undefined || durationUnit !== undefined, 'a duration needs a durationUnit');
  demand(period === undefined || periodUnit !== undefined, 'a period needs a periodUnit');
  demand(durationMax === undefined || duration !== undefined, 'durationMax needs a duration');
  demand(periodMax === undefined || period !== undefined, 'periodMax needs a period');
  demand(countMax === undefined || count !== undefined, 'countMax needs a count');
  demand(timing['timeOfDay'] === undefined || when.length === 0, 'it has either timeOfDay or when');
  demand(
    offset === undefined || when.some((event) => !['C', 'CM', 'CD', 'CV'].includes(event)),
    'an offset needs an event in when that is no meal itself',
  );
  for (const event of when.filter((each) => /^[A-Za-z.]{1,20}$/.test(each)))
    demand(EVENTS.has(event), `'${event}' is no event of FHIR's event-timing`);
  return issues;
}
