// Schemas of text that users type. A name has a visible character and no control characters, and is stored without
// white space around it.
import Type from 'typebox';

const VISIBLE = '^(?=.*[^\\s\\p{Cf}])[^\\p{Cc}\\p{Cs}]*$';

/** A name of at most `maxLength` characters. */
export function nameText(maxLength: number) {
  return Type.String({ maxLength, pattern: VISIBLE, patternHint: 'must hold visible text and no control characters' });
}

/** A guid of something that may not exist. Text that is no guid gets 404, not a validation error (decision G1). */
export const GuidText = Type.String({ minLength: 1, maxLength: 64 });
