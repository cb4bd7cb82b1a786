// The fields of a provider that a person types: its name and where it works.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

interface ProviderFieldsProps {
  readonly name: string;
  readonly region: string;
  readonly onName: (name: string) => void;
  readonly onRegion: (region: string) => void;
}

export function ProviderFields({ name, region, onName, onRegion }: ProviderFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <TextInput
        label={t('admin.providers.name')}
        value={name}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget }) => onName(currentTarget.value)}
      />
      <TextInput
        label={t('admin.providers.region')}
        value={region}
        maxLength={200}
        autoComplete="off"
        onChange={({ currentTarget }) => onRegion(currentTarget.value)}
      />
    </>
  );
}
