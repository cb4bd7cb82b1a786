// Shows what is shown this once, such as a new key, to be copied. No key closes it: one says that it is kept.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../shell/dialog.tsx';
import { CopyText } from './copy.tsx';

interface ShownOnceProps {
  readonly title: string;
  /** That it is not shown again. */
  readonly lead: string;
  readonly text: string;
  /** What the text is. */
  readonly label: string;
  /** On the button. */
  readonly kept: string;
  readonly onKept: () => void;
  readonly children?: ReactNode;
}

export function ShownOnce({ title, lead, text, label, kept, onKept, children }: ShownOnceProps) {
  return (
    <Dialog title={title}>
      <p>{lead}</p>
      <CopyText text={text} label={label} />
      {children}
      <p className="actions">
        <Button onClick={onKept}>{kept}</Button>
      </p>
    </Dialog>
  );
}
