// Texts that belong to a question: displayed items within it whose control says where they are
// (hl7.org/fhir/R5/valueset-questionnaire-item-control.html).
import { type FormItem, labelOf } from './form.ts';

const HELP: ReadonlySet<string> = new Set(['help', 'prompt', 'flyover', 'security', 'legal']);
const BOUND: ReadonlySet<string> = new Set([...HELP, 'unit', 'lower', 'upper']);

export interface Displays {
  /** What helps to answer, as one text. */
  readonly help: string | undefined;
  readonly unit: string | undefined;
  /** What the ends of a scale mean. */
  readonly lower: string | undefined;
  readonly upper: string | undefined;
}

/** Whether the item is shown with the question around it, and not by itself. */
export function isBound({ type, control = '' }: Pick<FormItem, 'type' | 'control'>): boolean {
  return type === 'display' && BOUND.has(control);
}

export function displaysOf({ items = [] }: Pick<FormItem, 'items'>, language: string): Displays {
  const texts = (wanted: (control: string) => boolean) =>
    items
      .filter((item) => isBound(item) && item.hidden !== true && wanted(item.control ?? ''))
      .map((item) => labelOf(item, language));
  const one = (control: string) => texts((each) => each === control)[0];
  const help = texts((control) => HELP.has(control));
  return {
    help: help.length === 0 ? undefined : help.join(' '),
    unit: one('unit'),
    lower: one('lower'),
    upper: one('upper'),
  };
}

/** The unit of a measure that has but one; several are chosen from. */
export function unitOf({ type, units = [] }: FormItem): string | undefined {
  return type === 'quantity' && units.length === 1 ? units[0]?.label : undefined;
}

export function withUnit(label: string, unit: string | undefined): string {
  return unit === undefined ? label : `${label} (${unit})`;
}
