// The record itself, for who asks for it, with a button that copies it.
import { useState } from 'react';
import { CopyButton } from './copy.tsx';
import { ScrollText } from './scroll-text.tsx';

export function AsJson({ label, value }: { readonly label: string; readonly value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  // A long text is made when it is opened.
  const text = isOpen ? JSON.stringify(value, null, 2) : '';
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{label}</summary>
      <CopyButton text={text} label={label} />
      <ScrollText text={text} />
    </details>
  );
}
