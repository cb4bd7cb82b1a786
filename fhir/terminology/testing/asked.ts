// Parameters of requests in the tables of tests.
import type { Json } from '../json.ts';
import { VESSELS } from './vessels.ts';

export interface ValidationCase {
  readonly name: string;
  /** `ValueSet` unless it is said. */
  readonly type?: 'CodeSystem';
  readonly asked: readonly Json[];
  /** The header Accept-Language. */
  readonly accepted?: string;
  /** Members of the answer; `issues` as `severity kind place`. One that is undefined must be absent. */
  readonly answer?: Readonly<Record<string, unknown>>;
  /** The issues of an OperationOutcome in its place. */
  readonly refused?: readonly string[];
}

export const RIGS = 'http://x.org/rigs';
export const url = (name: string): Json => ({ name: 'url', valueUri: `http://x.org/vs/${name}` });
export const coding = (valueCoding: Json): Json => ({ name: 'coding', valueCoding });
export const vessel = (code: string, more: Json = {}): Json => coding({ system: VESSELS, code, ...more });
export const rig = (code: string, more: Json = {}): Json => coding({ system: RIGS, code, ...more });
export const concept = (codings: readonly Json[], more: Json = {}): Json => ({
  name: 'codeableConcept',
  valueCodeableConcept: { coding: codings, ...more },
});
export const language = (valueCode: string): Json => ({ name: 'displayLanguage', valueCode });
export const flag = (name: string): Json => ({ name, valueBoolean: true });
export const canonical = (name: string, valueUri: string): Json => ({ name, valueUri });
