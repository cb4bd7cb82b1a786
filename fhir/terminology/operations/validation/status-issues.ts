// Remarks on value sets and code systems that are draft, experimental, deprecated, withdrawn or retired.
import { type Canonical, joinCanonical } from '../../catalog/catalog.ts';
import { type Evaluated, findValueSet } from '../../content/evaluate.ts';
import { type Json, text } from '../../json.ts';
import type { OperationContext } from '../context.ts';
import { type PublicationStatus, statusOf, warningFor } from '../publication-status.ts';
import type { Issue } from './issues.ts';

function remark(type: string, canonical: string, warning: string): Issue {
  const message = `Reference to ${warning} ${type} ${canonical}`;
  return { severity: 'information', kind: 'status-check', message, expression: undefined };
}

const ofValueSets = new WeakMap<Evaluated, readonly Issue[]>();

/** Remarks on the value set and those of which it consists. */
export function valueSetRemarks(context: OperationContext, valueSet: Json, evaluated: Evaluated): readonly Issue[] {
  const known = ofValueSets.get(evaluated);
  if (known !== undefined) return known;
  const own = { url: text(valueSet['url']) ?? '', version: text(valueSet['version']) };
  const others = [...evaluated.valueSets].map(
    (canonical) => [canonical, findValueSet(context.catalog, canonical).resource()] as const,
  );
  const found = [[joinCanonical(own), valueSet] as const, ...others].flatMap(([canonical, resource]) => {
    const warning = warningFor(valueSet, statusOf(resource));
    return warning === undefined || canonical === '' ? [] : [remark('ValueSet', canonical, warning)];
  });
  ofValueSets.set(evaluated, found);
  return found;
}

/** The remark on the code system of a coding, which the value set uses. */
export function codeSystemRemarks(meta: PublicationStatus & Canonical, valueSet: Json): readonly Issue[] {
  const warning = warningFor(valueSet, meta);
  return warning === undefined ? [] : [remark('CodeSystem', joinCanonical(meta), warning)];
}
