// A form that changes a record of the library in its place: what is typed is kept until it is stored or given up.
import { useState } from 'react';
import { useKeptForm } from '../../../app/use-kept.ts';
import { type ChangeOptions, useChange } from '../../../shared/change/use-change.ts';

/** What shows records of the library. */
export const LIBRARY = ['library'] as const;

interface ChangeFormOptions<Item extends object, Form extends object>
  extends Omit<ChangeOptions<Item>, 'onChanged' | 'shownBy'> {
  /** Under which it is kept. */
  readonly name: string;
  readonly record: Item;
  /** What is in the form before anything is typed. */
  readonly formOf: (record: Item) => Form;
  readonly onClose: () => void;
}

export function useChangeForm<Item extends object, Form extends object>(options: ChangeFormOptions<Item, Form>) {
  const { name, record, formOf, onClose, ...ofChange } = options;
  // What was opened, though the list is read again meanwhile.
  const [start] = useState(() => ({ ...formOf(record), opened: record }));
  const [form, change, drop] = useKeptForm(name, start);
  const close = () => {
    drop();
    onClose();
  };
  const store = useChange<Item>({ ...ofChange, shownBy: LIBRARY, onChanged: close });
  return { form, opened: form.opened, change, close, store };
}
