// What the rendering of a form's items is given.
import type { Language } from '#lib/html/html.ts';
import type { Enabling } from '../enabling.ts';
import type { Unevaluated } from '../expressions/unevaluated.ts';
import type { FormTexts } from './answer-text.ts';
import type { Fields } from './fields.ts';

export interface Rendering {
  readonly language: Language;
  readonly timeZone: string;
  readonly fields: Fields;
  readonly enabling: Enabling;
  /** What of an item is not evaluated, by its `link_id`. */
  readonly notes: ReadonlyMap<string, Unevaluated>;
  readonly text: FormTexts;
  /** Messages by the path of the item or occurrence. */
  readonly errors: ReadonlyMap<string, string>;
}

/** What a field says around its control. */
export interface FieldText {
  readonly label: string;
  readonly optional: string | undefined;
  readonly hint: string | undefined;
  readonly error: string | undefined;
}
