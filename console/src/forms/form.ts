// A form as the services send it, ready to be rendered (docs/reference/render-ready-form.schema.json).

/** A value in its FHIR element, such as `{"valueBoolean": true}`. */
export type Answer = Readonly<Record<string, unknown>>;

/** In the place of a number that cannot be read; it is never sent. */
export const UNREADABLE = 'valueUnreadable';

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
  readonly placeholder?: string;
  readonly limits?: {
    readonly min_value?: unknown;
    readonly max_value?: unknown;
    readonly min_length?: number;
    readonly max_length?: number;
    readonly max_answers?: number;
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
  readonly items: readonly FormItem[];
}

/** The label in the reader's language where the form has it. */
export function labelOf(
  labelled: { readonly label: string; readonly translations?: Readonly<Record<string, string>> },
  language: string,
): string {
  return labelled.translations?.[language] ?? labelled.label;
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
