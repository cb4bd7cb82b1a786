// The unit of a value, of the units that the library has.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useUnits } from './library-queries.ts';

interface UnitSelectProps {
  /** The GUID of a unit; empty for none. */
  readonly value: string;
  readonly onChange: (guid: string) => void;
}

export function UnitSelect({ value, onChange }: UnitSelectProps) {
  const { t } = useTranslation();
  const units = useUnits();
  return (
    <NativeSelect
      label={t('planner.goals.unit')}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: t('planner.goals.noUnit') },
        ...(units.data?.data ?? []).map((each) => ({ value: each.unit_guid, label: each.name })),
      ]}
    />
  );
}
