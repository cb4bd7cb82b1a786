// Required bindings: whether a code, Coding or CodeableConcept is of the value set its element demands
// (hl7.org/fhir/R5/terminologies.html#required).
import { codeSyntax } from '../code-syntax.ts';
import type { Slot } from '../definitions/shapes.ts';
import { addFault, isJsonObject, type ValidationContext } from './context.ts';

const MAX_LISTED = 12;

/** Checks a value that already has the JSON form of its type. Sets that nobody can list here (LOINC) are let pass. */
export function checkBinding(context: ValidationContext, slot: Slot, value: unknown): void {
  const { binding } = slot.element;
  if (binding?.strength !== 'required' || !isCheckable(context, binding.valueSet)) return;
  if (typeof value === 'string') {
    if (!hasCode(context, binding.valueSet, value)) addCodeFault(context, binding.valueSet, 'must be');
  } else if (slot.type.code === 'Coding') {
    if (!hasCoding(context, binding.valueSet, value)) addCodeFault(context, binding.valueSet, 'must be');
  } else if (slot.type.code === 'CodeableConcept') checkConcept(context, binding.valueSet, value);
}

function checkConcept(context: ValidationContext, valueSet: string, value: unknown): void {
  if (!isJsonObject(value)) return;
  const { coding } = value;
  if (coding === undefined && value['text'] === undefined) return;
  const isFound = Array.isArray(coding) && coding.some((each) => hasCoding(context, valueSet, each));
  if (!isFound) addCodeFault(context, valueSet, 'must have a coding that is');
}

function hasCoding(context: ValidationContext, valueSet: string, coding: unknown): boolean {
  if (!isJsonObject(coding)) return true;
  const { system, code } = coding;
  if (typeof code !== 'string' || typeof system !== 'string') return false;
  const syntax = codeSyntax(valueSet);
  if (syntax?.systems.includes(system) && syntax.isValid(code)) return true;
  return context.definitions.codeSet(valueSet)?.has(system, code) ?? false;
}

function hasCode(context: ValidationContext, valueSet: string, code: string): boolean {
  return context.definitions.codeSet(valueSet)?.hasCode(code) === true || codeSyntax(valueSet)?.isValid(code) === true;
}

function isCheckable(context: ValidationContext, valueSet: string): boolean {
  return context.definitions.codeSet(valueSet) !== undefined || codeSyntax(valueSet) !== undefined;
}

function addCodeFault(context: ValidationContext, valueSet: string, verb: string): void {
  const codes = context.definitions.codeSet(valueSet)?.codes ?? [];
  const syntax = codeSyntax(valueSet);
  const name = valueSet.slice(valueSet.lastIndexOf('/') + 1);
  const expected =
    syntax?.expected ?? (codes.length <= MAX_LISTED ? `one of ${codes.join(', ')}` : `a code of the value set ${name}`);
  addFault(context, 'code-invalid', `${verb} ${expected}`);
}
