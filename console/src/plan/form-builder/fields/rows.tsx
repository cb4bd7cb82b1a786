// Values of one kind, each in a row that can be changed and removed, with a button that adds one.
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

/** One value, and what its row does with it. `typing` is the same for changes that are undone in one step. */
export interface RowProps<Value> {
  readonly index: number;
  readonly value: Value;
  readonly onChange: (next: Value, typing?: string) => void;
  readonly onRemove: () => void;
}

interface RowsProps<Value> {
  readonly values: readonly Value[];
  readonly onChange: (next: readonly Value[], typing?: string) => void;
  readonly most: number;
  /** What the button adds. */
  readonly added: () => Value;
  readonly addLabel: string;
  readonly children: (row: RowProps<Value>) => ReactNode;
}

export function Rows<Value>({ values, onChange, most, added, addLabel, children }: RowsProps<Value>) {
  return (
    <>
      {values.map((value, index) =>
        children({
          index,
          value,
          onChange: (next, typing) => onChange(values.with(index, next), typing),
          onRemove: () => onChange(values.toSpliced(index, 1)),
        }),
      )}
      <p className="actions">
        <Button variant="default" disabled={values.length >= most} onClick={() => onChange([...values, added()])}>
          {addLabel}
        </Button>
      </p>
    </>
  );
}
