// What people type: passwords, and names: some visible character, no control characters, and no white space around them
// when stored.
import Type from 'typebox';

const VISIBLE = '^(?=.*[^\\s\\p{Cf}])[^\\p{Cc}\\p{Cs}]*$';

/** A name of at most `maxLength` characters. */
export function nameText(maxLength: number) {
  return Type.String({ maxLength, pattern: VISIBLE, patternHint: 'must hold visible text and no control characters' });
}

/**
 * A guid of something that may not exist: what is no guid is answered as not found, not as an error of form (decision
 * G1).
 */
export const GuidText = Type.String({ minLength: 1, maxLength: 64 });
