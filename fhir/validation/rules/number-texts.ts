// Checks numbers by their text: `1.0` is not an integer, and a decimal has at most 18 digits
// (hl7.org/fhir/R5/datatypes.html#integer, #decimal).
import type { Shape } from '../../definitions/shapes.ts';
import { countDigits, isWrittenAsInteger, MAX_DIGITS, writtenNumbers } from '../../json/written-numbers.ts';
import { addIssue, type JsonObject, type ValidationContext } from '../context.ts';

/** Checks the numbers of an object as they were written; primitive-values.ts checks their values. */
export function checkNumberTexts(context: ValidationContext, shape: Shape, value: JsonObject): void {
  const written = writtenNumbers(value);
  if (written === undefined) return;
  for (const { name, index, text } of written) {
    const slot = shape.slots.get(name);
    if (slot?.type.primitive?.json !== 'number') continue;
    const place = index === undefined ? slot.element.name : `${slot.element.name}[${index}]`;
    if (slot.type.code === 'decimal') {
      if (countDigits(text) > MAX_DIGITS) addIssue(context, 'value', `may have at most ${MAX_DIGITS} digits`, place);
    } else if (!isWrittenAsInteger(text)) {
      addIssue(context, 'value', 'must be written as a whole number, without a fraction or an exponent', place);
    }
  }
}
