// How long what is replaced, a key or a secret, goes on working.
import { NativeSelect } from '@mantine/core';

/** Hours, the usual ones first; 0 ends it at once. */
const HOURS = ['24', '72', '168', '0'] as const;
export type GraceHours = (typeof HOURS)[number];

interface GraceSelectProps {
  readonly label: string;
  readonly value: GraceHours;
  readonly textOf: (hours: GraceHours) => string;
  readonly onChange: (hours: GraceHours) => void;
}

export function GraceSelect({ label, value, textOf, onChange }: GraceSelectProps) {
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(HOURS.find((each) => each === currentTarget.value) ?? '24')}
      data={HOURS.map((hours) => ({ value: hours, label: textOf(hours) }))}
    />
  );
}
