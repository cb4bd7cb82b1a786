// Narrows a list to one of several values, or shows all.
import { NativeSelect } from '@mantine/core';
import { oneOf } from './use-address.ts';

interface FilterSelectProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  /** What the option for all is called. */
  readonly all: string;
  readonly textOf: (value: Value) => string;
  /** Undefined for all. */
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}

export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { label, values, all, textOf, chosen, onChoose } = props;
  return (
    <NativeSelect
      label={label}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => onChoose(oneOf(values, currentTarget.value))}
      data={[{ value: '', label: all }, ...values.map((value) => ({ value, label: textOf(value) }))]}
    />
  );
}
