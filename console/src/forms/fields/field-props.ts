// What the control of a question is given, whatever its kind.
import type { FormItem } from '../form.ts';

export interface FieldProps {
  readonly item: FormItem;
  /** Of the element, unique on the page. */
  readonly id: string;
  readonly label: string;
  readonly help?: string | undefined;
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
}
