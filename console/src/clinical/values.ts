// A patient's measured values, grouped by what was measured, with what is normal and what the plan aims at.
import type { Observation, ObservationReferenceRange, Quantity } from 'fhir/r5';
import type { GoalTarget } from './care-plan.ts';

export interface Reading {
  readonly id: string;
  /** An instant or a day, as FHIR has it. */
  readonly at: string;
  readonly value: number;
  /** Whether the patient reported it. */
  readonly isOwn: boolean;
}

/** Either end may be open. */
export interface Band {
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Whether the ends themselves are outside. */
  readonly isOpen?: boolean;
}

export interface Series {
  readonly key: string;
  readonly name: string;
  /** Empty for a count or a score. */
  readonly unit: string;
  /** The oldest first. */
  readonly readings: readonly Reading[];
  /** What the laboratory or caregiver calls normal; undefined where nobody said. */
  readonly normal: Band | undefined;
  /** What a goal of the plan aims at. */
  readonly goal: Band | undefined;
}

/** An answer that is no number. */
export interface Remark {
  readonly id: string;
  readonly at: string;
  readonly name: string;
  /** Of a yes-or-no answer the answer itself. */
  readonly text: string | boolean;
}

const OWN = 'patient-reported';

interface Measured {
  readonly key: string;
  readonly name: string;
  readonly at: string;
  readonly quantity: Quantity;
  readonly ranges: readonly ObservationReferenceRange[];
  readonly observation: Observation;
}

export function seriesOf(observations: readonly Observation[], targets: readonly GoalTarget[]): Series[] {
  const measured = observations.flatMap(measuredIn);
  const groups = Map.groupBy(measured, ({ key, quantity }) => `${key} ${quantity.code ?? quantity.unit ?? ''}`);
  return [...groups.values()].map((group) => {
    const ordered = group.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
    const last = ordered.at(-1);
    return {
      key: last === undefined ? '' : `${last.key} ${last.quantity.unit ?? ''}`,
      name: last?.name ?? '',
      unit: last?.quantity.unit ?? last?.quantity.code ?? '',
      readings: ordered.map(readingOf),
      normal: ordered
        .toReversed()
        .map(({ ranges }) => normalOf(ranges))
        .find((band) => band !== undefined),
      goal: goalFor(last?.key, targets),
    };
  });
}

/** A measurement of two values, such as a blood pressure, is two series. */
function measuredIn(observation: Observation): Measured[] {
  const at = observation.effectiveDateTime ?? observation.effectivePeriod?.start ?? observation.issued;
  if (at === undefined || observation.status === 'entered-in-error') return [];
  const parts = [observation, ...(observation.component ?? [])];
  return parts.flatMap(({ code, valueQuantity, valueInteger: value, referenceRange: ranges = [] }) => {
    const quantity = valueQuantity ?? (value === undefined ? undefined : { value });
    const coding = code?.coding?.[0];
    const name = code?.text ?? coding?.display ?? coding?.code;
    if (quantity?.value === undefined || name === undefined) return [];
    return [
      {
        key: coding === undefined ? name : `${coding.system ?? ''}|${coding.code ?? ''}`,
        name,
        at,
        quantity,
        ranges,
        observation,
      },
    ];
  });
}

function readingOf({ at, quantity, observation }: Measured): Reading {
  const isOwn = observation.meta?.tag?.some(({ code }) => code === OWN) ?? false;
  return { id: observation.id ?? at, at, value: quantity.value ?? Number.NaN, isOwn };
}

/** Another kind of range, such as what a treatment aims at, is named by its type (hl7.org/fhir/R5/observation.html). */
function normalOf(ranges: readonly ObservationReferenceRange[]): Band | undefined {
  const range = ranges.find(({ low, high, type }) => {
    const isNormal = type?.coding === undefined || type.coding.some(({ code }) => code === 'normal');
    return isNormal && (low?.value !== undefined || high?.value !== undefined);
  });
  return range && { low: range.low?.value, high: range.high?.value };
}

function goalFor(key: string | undefined, targets: readonly GoalTarget[]): Band | undefined {
  const target = targets.find(({ concept }) => `${concept?.system ?? ''}|${concept?.code ?? ''}` === key);
  if (target?.detailRange !== undefined) {
    return { low: target.detailRange.low?.value, high: target.detailRange.high?.value };
  }
  const { value, comparator = '' } = target?.detailQuantity ?? {};
  if (value === undefined) return undefined;
  const open = comparator === '<' || comparator === '>' ? { isOpen: true } : {};
  if (comparator.startsWith('<')) return { high: value, ...open };
  return comparator.startsWith('>') ? { low: value, ...open } : { low: value, high: value };
}

export function remarksOf(observations: readonly Observation[]): Remark[] {
  return observations.flatMap((each) => {
    const at = each.effectiveDateTime ?? each.effectivePeriod?.start ?? each.issued;
    const { valueCodeableConcept: concept, valueString, valueBoolean } = each;
    const text = concept?.text ?? concept?.coding?.[0]?.display ?? valueString ?? valueBoolean;
    const name = each.code.text ?? each.code.coding?.[0]?.display;
    if (at === undefined || text === undefined || name === undefined || each.status === 'entered-in-error') return [];
    return [{ id: each.id ?? at, at, name, text }];
  });
}

export function isWithin(value: number, { low, high }: Band): boolean {
  return (low === undefined || value >= low) && (high === undefined || value <= high);
}
