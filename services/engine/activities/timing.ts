// The rules of FHIR R5 Timing.repeat (hl7.org/fhir/R5/datatypes.html#Timing, tim-1 … tim-10) that a schema cannot say.
import type { Fault } from '#lib/errors.ts';
import type { TimingRepeat } from './schema.ts';

const EVENTS = new Set(
  'MORN MORN.early MORN.late NOON AFT AFT.early AFT.late EVE EVE.early EVE.late NIGHT PHS IMD HS WAKE C CM CD CV AC ACM ACD ACV PC PCM PCD PCV'.split(
    ' ',
  ),
);

/** Every fault; `field` is the path of the timing in the body. */
export function timingFaults(timing: TimingRepeat, field: string): Fault[] {
  const faults: Fault[] = [];
  const demand = (holds: boolean, message: string) => {
    if (!holds) faults.push({ field, message: `'${field}': ${message}`, issue: 'invariant' });
  };
  const { duration, durationMax, durationUnit, period, periodMax, periodUnit, count, countMax, offset } = timing;
  const when = timing.when ?? [];
  demand(Object.keys(timing).length > 0, 'a timing says at least something');
  demand(duration === undefined || durationUnit !== undefined, 'a duration needs a durationUnit');
  demand(period === undefined || periodUnit !== undefined, 'a period needs a periodUnit');
  demand(durationMax === undefined || duration !== undefined, 'durationMax needs a duration');
  demand(periodMax === undefined || period !== undefined, 'periodMax needs a period');
  demand(countMax === undefined || count !== undefined, 'countMax needs a count');
  demand(timing.timeOfDay === undefined || when.length === 0, 'it has either timeOfDay or when');
  demand(
    offset === undefined || when.some((event) => !['C', 'CM', 'CD', 'CV'].includes(event)),
    'an offset needs an event in when that is no meal itself',
  );
  for (const event of when) demand(EVENTS.has(event), `'${event}' is no event of FHIR's event-timing`);
  return faults;
}
