// A form as the services send it, ready to be rendered (docs/reference/render-ready-form.schema.json).

/** A value in its FHIR element, such as `{"valueBoolean": true}`. */
export type Answer = Readonly<Record<string, unknown>>;

/** In the place of a number that cannot be read; it is never sent. */
export const UNREADABLE = 'valueUnreadable';

/** Neither a text that is no answer, nor a row that was added and in which nothing was typed. */
export function isReadable(answer: Answer): boolean {
  return !(UNREADABLE in answer) && Object.values(answer)[0] !== '';
}

export type ItemType =
  | 'group'
  | 'display'
  | 'boolean'
  | 'decimal'
  | 'integer'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'string'
  | 'text'
  | 'url'
  | 'coding'
  | 'attachment'
  | 'reference'
  | 'quantity';

export interface Rule {
  readonly link_id: string;
  readonly operator: 'exists' | '=' | '!=' | '>' | '<' | '>=' | '<=';
  readonly answer: Answer;
}

export interface Unit {
  readonly system?: string;
  readonly code?: string;
  readonly label?: string;
}

/** A value that expressions see under its name. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** FHIRPath that must not be false. */
export interface Constraint {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly expression: string;
}

/** An expression of the author that nothing here evaluates. */
interface NotRun {
  readonly use: string;
}

export interface FormItem {
  readonly link_id: string;
  readonly type: ItemType;
  readonly label: string;
  readonly translations?: Readonly<Record<string, string>>;
  readonly prefix?: string;
  readonly required: boolean;
  readonly repeats: boolean;
  readonly read_only: boolean;
  readonly hidden?: true;
  readonly answer_element?: string;
  /** The control that the author wished for (hl7.org/fhir/R5/valueset-questionnaire-item-control.html). */
  readonly control?: string;
  readonly orientation?: 'horizontal' | 'vertical';
  /** Answers are asked for, though a response without one is taken. */
  readonly asked?: true;
  readonly placeholder?: string;
  readonly limits?: {
    readonly min_value?: unknown;
    readonly max_value?: unknown;
    readonly min_length?: number;
    readonly max_length?: number;
    readonly max_decimals?: number;
    readonly pattern?: string;
    readonly min_answers?: number;
    readonly max_answers?: number;
    readonly resource_types?: readonly string[];
    readonly media_types?: readonly string[];
    readonly max_bytes?: number;
  };
  /** What is usual: an answer outside of it is to be confirmed. */
  readonly expected?: { readonly low?: unknown; readonly high?: unknown };
  readonly options?: readonly {
    readonly label: string;
    readonly translations?: Readonly<Record<string, string>>;
    readonly answer: Answer;
    readonly selected?: true;
    readonly exclusive?: true;
  }[];
  readonly other_answers?: 'none' | 'any' | 'text';
  /** The address of options that are not in the form: in a form that is being made. */
  readonly options_source?: string;
  readonly units?: readonly Unit[];
  readonly initial?: readonly Answer[];
  readonly initial_expression?: string;
  readonly enable_expression?: string;
  readonly calculated?: string;
  readonly variables?: readonly Variable[];
  readonly constraints?: readonly Constraint[];
  /** Addresses of pages that help to answer. */
  readonly links?: readonly string[];
  readonly slider_step?: number;
  readonly not_run?: readonly NotRun[];
  readonly conditions?: {
    readonly behavior: 'all' | 'any';
    readonly when_disabled: 'hidden' | 'protected';
    readonly rules: readonly Rule[];
  };
  readonly items?: readonly FormItem[];
}

export interface Form {
  readonly form_guid: string;
  /** The canonical address of the form, and its version. */
  readonly url?: string;
  readonly version?: string;
  readonly title: string;
  readonly translations?: Readonly<Record<string, string>>;
  readonly description?: string;
  readonly language?: string;
  readonly variables?: readonly Variable[];
  readonly constraints?: readonly Constraint[];
  /** What its expressions use besides the answers. */
  readonly launch_context?: readonly { readonly name: string; readonly types: readonly string[] }[];
  readonly questionnaire?: object;
  readonly not_run?: readonly NotRun[];
  readonly items: readonly FormItem[];
}

/** As much of a form as it takes to fill it in. */
export type FillableForm = Pick<Form, 'items' | 'variables' | 'constraints' | 'questionnaire'>;

/** The label in the reader's language where the form has it, for whatever region. */
export function labelOf(
  labelled: { readonly label: string; readonly translations?: Readonly<Record<string, string>> },
  language: string,
): string {
  const { label, translations = {} } = labelled;
  const tag = Object.keys(translations).find((each) => each.toLowerCase().split('-')[0] === language);
  return (tag === undefined ? undefined : translations[tag]) || label;
}

/** The form with every label in that language, where it has it. */
export function inLanguage(form: Form, language: string): Form {
  const worded = <
    Labelled extends { readonly label: string; readonly translations?: Readonly<Record<string, string>> },
  >({
    translations,
    ...rest
  }: Labelled) => ({ ...rest, label: translations?.[language] ?? rest.label });
  const inner = (item: FormItem): FormItem => ({
    ...worded(item),
    ...(item.options === undefined ? {} : { options: item.options.map(worded) }),
    ...(item.items === undefined ? {} : { items: item.items.map(inner) }),
  });
  const { translations, ...rest } = form;
  return { ...rest, title: translations?.[language] ?? form.title, items: form.items.map(inner) };
}
