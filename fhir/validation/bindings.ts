// Bindings of R5's own elements. It checks whether a code, Coding or CodeableConcept is in the value set that its
// element requires (an error otherwise) or recommends (a warning; hl7.org/fhir/R5/terminologies.html#strength).
import type { Binding, Slot } from '../definitions/shapes.ts';
import { currentPath, isJsonObject, type ValidationContext } from './context.ts';
import { hasCoding, hasConcept, type KnownCodes, officialCodes } from './known-codes.ts';

/**
 * Checks a value that already has the JSON form of its type. Value sets that cannot be listed here (LOINC) are not
 * checked.
 */
export function checkBinding(context: ValidationContext, slot: Slot, value: unknown): void {
  const { binding } = slot.element;
  if (binding === undefined || binding.strength === 'preferred') return;
  const known = officialCodes(context.definitions, binding.valueSet);
  if (known === undefined) return;
  if (typeof value === 'string') {
    // The recommended codes for types are names. A logical model's type is a URL, and so is a canonical.
    const isAddress = binding.strength === 'extensible' && slot.type.code === 'uri' && value.includes(':');
    if (!isAddress && !known.hasCode(value)) addCodeIssue(context, binding, known, 'be');
    return;
  }
  switch (slot.type.code) {
    case 'Coding':
      if (isJsonObject(value) && !hasCoding(known, value)) addCodeIssue(context, binding, known, 'be');
      return;
    case 'CodeableConcept':
      checkConcept(context, binding, known, value);
      return;
    case 'CodeableReference':
      if (isJsonObject(value)) checkConcept(context, binding, known, value['concept']);
      return;
    default:
  }
}

function checkConcept(context: ValidationContext, binding: Binding, known: KnownCodes, value: unknown): void {
  if (!isJsonObject(value)) return;
  // A text alone says that no code fits: only a required code may not be left out.
  if (value['coding'] === undefined && (value['text'] === undefined || binding.strength !== 'required')) return;
  if (!hasConcept(known, value)) addCodeIssue(context, binding, known, 'have a coding that is');
}

function addCodeIssue(
  context: ValidationContext,
  { strength, valueSet }: Binding,
  { expected }: KnownCodes,
  verb: string,
): void {
  const codes = expected ?? `a code of the value set ${valueSet.slice(valueSet.lastIndexOf('/') + 1)}`;
  const field = currentPath(context);
  const isDemanded = strength === 'required';
  const message = isDemanded
    ? `${field} must ${verb} ${codes}`
    : `${field} should ${verb} ${codes}, if one of them says it`;
  context.issues.add({ message, field, code: 'code-invalid', ...(isDemanded ? {} : { severity: 'warning' }) });
}
