// Chooses a concept of the library: what is typed narrows the list.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useConcepts } from './library-queries.ts';

interface ConceptPickerProps {
  /** The guid; empty for none. */
  readonly value: string;
  /** The name of the one that is stored: it can be seen though a list of many leaves it out. */
  readonly current?: string | undefined;
  readonly onChange: (guid: string, name: string) => void;
}

export function ConceptPicker({ value, current, onChange }: ConceptPickerProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const [stored] = useState({ guid: value, name: current });
  const { data } = useConcepts(search);
  const concepts = data?.data ?? [];
  const nameOf = (guid: string) => {
    const found = concepts.find(({ concept_guid: each }) => each === guid);
    return found?.concept_display_text ?? found?.concept_name ?? '';
  };
  const isListed = (guid: string) => concepts.some(({ concept_guid: each }) => each === guid);
  const isShown = isListed(value) || (value === stored.guid && stored.name !== undefined);
  return (
    <>
      <TextInput
        type="search"
        label={t('planner.concepts.search')}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <NativeSelect
        label={t('planner.concepts.concept')}
        value={isShown ? value : ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value, nameOf(currentTarget.value))}
        data={[
          { value: '', label: t('planner.concepts.choose') },
          ...(stored.name === undefined || isListed(stored.guid) ? [] : [{ value: stored.guid, label: stored.name }]),
          ...concepts.map((concept) => ({
            value: concept.concept_guid,
            label: `${concept.concept_display_text ?? concept.concept_name} (${concept.canonical_lib_name})`,
          })),
        ]}
      />
    </>
  );
}
