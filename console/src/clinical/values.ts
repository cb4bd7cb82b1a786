// A patient's measured values, grouped by what was measured, with what is normal and what the plan aims at.
import type { Observation, ObservationComponent, ObservationReferenceRange, Quantity } from 'fhir/r5';
import { amountText, momentText } from '../i18n/format.ts';
import type { GoalTarget } from './care-plan.ts';

export interface Reading {
  readonly id: string;
  /** An instant or a day, as FHIR has it. */
  readonly at: string;
  readonly value: number;
  /** Of a value that was not measured exactly: it is below or above this one. */
  readonly comparator?: Comparator | undefined;
  /** Whether the patient reported it, or a proxy did. */
  readonly isOwn: boolean;
  readonly isByProxy?: boolean;
}

export type Comparator = '<' | '<=' | '>=' | '>';

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

/** What the patient, or a proxy, has reported at once. */
export interface OwnReport {
  readonly id: string;
  readonly at: string;
  readonly isByProxy: boolean;
  readonly series: readonly Series[];
  readonly remarks: readonly Remark[];
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
  const at = momentOf(observation);
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

/** When it was measured; where nobody said, when it was reported. */
function momentOf(observation: Observation): string | undefined {
  const { effectivePeriod: period, effectiveTiming: timing } = observation;
  const measured = observation.effectiveDateTime ?? observation.effectiveInstant ?? period?.start ?? period?.end;
  return measured ?? timing?.event?.[0] ?? observation.issued ?? observation.meta?.lastUpdated;
}

function readingOf({ at, quantity, observation }: Measured): Reading {
  const isOwn = isReportedByPatient(observation);
  const comparator = COMPARATORS.find((each) => each === quantity.comparator);
  return {
    id: observation.id ?? at,
    at,
    value: quantity.value ?? Number.NaN,
    comparator,
    isOwn,
    isByProxy: isByProxy(observation),
  };
}

const COMPARATORS = ['<', '<=', '>=', '>'] as const satisfies readonly Comparator[];

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

function isReportedByPatient({ meta }: Observation): boolean {
  return meta?.tag?.some(({ code }) => code === OWN) ?? false;
}

/** A proxy is no Patient on record, but named as a related person (docs/reference/patient.md). */
function isByProxy({ performer = [] }: Observation): boolean {
  return performer.some(({ type }) => type === 'RelatedPerson');
}

/** The newest first. */
export function ownReportsIn(observations: readonly Observation[]): OwnReport[] {
  return observations
    .filter((each) => isReportedByPatient(each))
    .flatMap((observation) => {
      const { id } = observation;
      const at = momentOf(observation);
      const [series, remarks] = [seriesOf([observation], []), remarksOf([observation])];
      if (id === undefined || at === undefined || series.length + remarks.length === 0) return [];
      return [{ id, at, isByProxy: isByProxy(observation), series, remarks }];
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** What is no number, of the measurement itself and of each of its parts; the newest first. */
export function remarksOf(observations: readonly Observation[]): Remark[] {
  const remarks = observations.flatMap((observation) => {
    const at = momentOf(observation);
    if (at === undefined || observation.status === 'entered-in-error') return [];
    return [observation, ...(observation.component ?? [])].flatMap((part, index) => {
      const text = textIn(part);
      const name = part.code?.text ?? part.code?.coding?.[0]?.display ?? part.code?.coding?.[0]?.code;
      if (text === undefined || name === undefined) return [];
      return [{ id: index === 0 ? (observation.id ?? at) : `${observation.id ?? at} ${index}`, at, name, text }];
    });
  });
  return remarks.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** Those of one kind together, by the name that was said last; in each the newest last, as readings are. */
export function remarksByName(remarks: readonly Remark[]): (readonly [name: string, remarks: readonly Remark[]])[] {
  const kinds = Map.groupBy(remarks, ({ name }) => name);
  return [...kinds].map(([name, those]) => [name, those.toReversed()]);
}

function textIn(part: Partial<ObservationComponent>): string | boolean | undefined {
  const { valueCodeableConcept: concept, valuePeriod: period, valueRange: range, valueRatio: ratio } = part;
  const coded = concept?.text ?? concept?.coding?.[0]?.display ?? concept?.coding?.[0]?.code;
  const plain = coded ?? part.valueString ?? part.valueBoolean ?? part.valueTime?.slice(0, 5);
  if (plain !== undefined) return plain;
  if (part.valueDateTime !== undefined) return momentText(part.valueDateTime);
  if (period !== undefined)
    return between(period.start && momentText(period.start), period.end && momentText(period.end));
  if (range !== undefined) return between(quantityText(range.low), quantityText(range.high));
  if (ratio !== undefined) return `${quantityText(ratio.numerator)} : ${quantityText(ratio.denominator)}`;
  return undefined;
}

function between(low = '', high = ''): string {
  return `${low} – ${high}`.trim();
}

function quantityText(quantity: Quantity | undefined): string {
  return quantity?.value === undefined ? '' : amountText(quantity.value, quantity.unit ?? quantity.code ?? '');
}

/** Undefined where a value that was not measured exactly may be either. No such value is negative. */
export function isWithin(reading: Pick<Reading, 'value' | 'comparator'>, band: Band): boolean | undefined {
  const { low, high, isOpen } = possibleOf(reading);
  const lowest = band.low ?? Number.NEGATIVE_INFINITY;
  const highest = band.high ?? Number.POSITIVE_INFINITY;
  const isEndOutside = band.isOpen === true;
  const isInside = (by: number) => by > 0 || (by === 0 && (!isEndOutside || isOpen));
  const isFromLow = band.low === undefined || isInside(low - lowest);
  const isToHigh = band.high === undefined || isInside(highest - high);
  if (isFromLow && isToHigh) return true;
  const isOutside = (by: number) => by > 0 || (by === 0 && (isEndOutside || isOpen));
  return isOutside(lowest - high) || isOutside(low - highest) ? false : undefined;
}

/** Between which ends the value is; `isOpen` where it is neither of them. */
function possibleOf({ value, comparator }: Pick<Reading, 'value' | 'comparator'>) {
  const isOpen = comparator === '<' || comparator === '>';
  if (comparator === '<' || comparator === '<=')
    return { low: value > 0 ? 0 : Number.NEGATIVE_INFINITY, high: value, isOpen };
  const isUp = comparator === '>' || comparator === '>=';
  return { low: value, high: isUp ? Number.POSITIVE_INFINITY : value, isOpen };
}
