// The shape of a case of the engine's benchmark.
import type { SentRequest } from '../../load/load.ts';
import { guidOf } from '../random.ts';

/** What all cases are made from. */
export interface CaseContext {
  /** So many patients, and what belongs to them, are stored. */
  readonly patients: number;
  /** What a caller with all scopes sends along. */
  readonly headers: Readonly<Record<string, string>>;
}

interface AnyCase {
  readonly name: string;
  /** Said beside the name, and may be another for each size. */
  readonly detail?: string;
  /** The requests to send from the n-th on; those that can be sent again are always the same. */
  readonly ours: (from: number) => readonly SentRequest[];
  /**
   * More resources fulfil the search where more are stored, and are counted: both sizes are shown, without a must
   * between them.
   */
  readonly isGrowing?: boolean;
}

/** Beside the least that the same could cost. */
export interface RateCase extends AnyCase {
  readonly kind: 'rate';
  /** The least share of the bare rate; undefined where it is for information. */
  readonly must?: number;
  readonly bare: readonly SentRequest[];
  /**
   * Which server the bare requests go to: the one of bare limits, or the service itself, whose works are then compared.
   */
  readonly beside?: 'bare' | 'service';
  /** Ours go through the gateway of the same process. */
  readonly isThroughGateway?: boolean;
  /** For the interactions with a single resource: how many times the bare limit's p99 theirs may be. */
  readonly p99?: number;
  /** Resources in each request, where they are counted instead of requests. */
  readonly each?: number;
}

/** How long one answer takes, in milliseconds, while a few callers ask. */
export interface LatencyCase extends AnyCase {
  readonly kind: 'latency';
  /** Asked in turn with it: how fast the machine was meanwhile. Left out where nothing is compared with another run. */
  readonly bare?: readonly SentRequest[];
  readonly mustMedian: number;
  readonly mustP99: number;
}

export type Case = RateCase | LatencyCase;

export const BASE = '/api/v1';
/** So many different requests are made where they can be sent again. */
const MANY = 2_000;
/** So many patients at most are in the tables of the bare limits. */
export const BARE_TEXTS = 20_000;

/** Numbers of patients from all over, each once. */
export function numbersOf(patients: number): number[] {
  const many = Math.min(MANY, patients);
  return Array.from({ length: many }, (_, index) => Math.floor((index * patients) / many));
}

/** The same, of those that the bare limits hold. */
export function bareNumbersOf(patients: number): number[] {
  return numbersOf(patients).map((number) => number % Math.min(patients, BARE_TEXTS));
}

/** Of each such patient the text by its key, from the server of bare limits. */
export function bareReads(patients: number): SentRequest[] {
  return bareNumbersOf(patients).map((number) => ({ target: `/read/${guidOf('patient', number)}` }));
}
