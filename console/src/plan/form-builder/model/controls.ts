// The control by which an item is answered, among those that fit it
// (hl7.org/fhir/R5/valueset-questionnaire-item-control.html). Another one, of a form from elsewhere, stays until one of
// these is chosen.
import { extensionsOf, withExtension } from './extensions.ts';
import type { Item } from './tree.ts';

export type Control =
  | 'radio-button'
  | 'drop-down'
  | 'autocomplete'
  | 'check-box'
  | 'slider'
  | 'gtable'
  | 'table'
  | 'tab-container'
  | 'page';

const CONTROL = 'questionnaire-itemControl';
const SYSTEM = 'http://hl7.org/fhir/questionnaire-item-control';

/** Beside the usual one. */
export function controlsFor(item: Item): readonly Control[] {
  const { type, repeats = false } = item;
  switch (type) {
    case 'coding':
      if (item.answerValueSet !== undefined) return ['autocomplete'];
      return repeats ? ['check-box', 'autocomplete'] : ['radio-button', 'drop-down', 'autocomplete'];
    case 'boolean':
      return ['radio-button', 'check-box'];
    case 'integer':
    case 'decimal':
    case 'quantity':
      return repeats ? [] : ['slider'];
    case 'group':
      return repeats ? ['gtable'] : ['table', 'tab-container', 'page'];
    default:
      return [];
  }
}

export function withControl<Of extends Pick<Item, 'extension'>>(item: Of, control: string | undefined): Of {
  const values =
    control === undefined ? [] : [{ valueCodeableConcept: { coding: [{ system: SYSTEM, code: control }] } }];
  return withExtension(item, CONTROL, values);
}

const ORIENTATION = 'questionnaire-choiceOrientation';
export type Orientation = 'horizontal' | 'vertical';

/** Whether options that are shown as buttons may be put beside each other. */
export function takesOrientation({ type, answerValueSet }: Item): boolean {
  return type === 'coding' ? answerValueSet === undefined : type === 'boolean';
}

/** Undefined for the usual one. */
export function orientationOf(item: Item): Orientation | undefined {
  const value = extensionsOf(item, ORIENTATION)[0]?.valueCode;
  return value === 'horizontal' || value === 'vertical' ? value : undefined;
}

export function withOrientation(item: Item, orientation: Orientation | undefined): Item {
  return withExtension(item, ORIENTATION, orientation === undefined ? [] : [{ valueCode: orientation }]);
}
