// Checks a Coding against its code system: the system is absolute, and it has the code, where all of its codes are
// known here (hl7.org/fhir/R5/datatypes.html#Coding).
import { systemCodes } from '../../definitions/system-codes.ts';
import { addIssue, type JsonObject, type ValidationContext } from '../context.ts';
import { adviseSystem, checkSystem } from './address-rules.ts';

const CONCEPT_PATH = 'CodeableConcept.coding';

/** Checks a Coding in the element of a path of the definitions. */
export function checkCoding(context: ValidationContext, path: string, coding: JsonObject): void {
  if (path === CONCEPT_PATH) adviseSystem(context, coding);
  else checkSystem(context, coding);
  const { system, code, version } = coding;
  if (typeof system !== 'string' || typeof code !== 'string') return;
  const known = systemCodes(system);
  if (known === undefined || known.has(code)) return;
  // Codes of another edition are unknown, unless a user has stored it.
  if (version !== undefined && version !== known.version) return;
  if (context.valueSets.hasCode(system, code)) return;
  addIssue(context, 'code-invalid', `must be a code of the code system ${system}`, 'code');
}
