// Chooses organisations: those that are chosen can be taken away, and what is typed finds others.
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { IdentityShapes } from '../../api/shapes.ts';
import { useOrganisations } from './queries.ts';

export type Named = Readonly<IdentityShapes['NamedOrganisation']>;

interface OrganisationPickerProps {
  readonly chosen: readonly Named[];
  readonly onChange: (chosen: readonly Named[]) => void;
  /** Of which another choice takes the place. */
  readonly isOne?: boolean;
}

export function OrganisationPicker({ chosen, onChange, isOne = false }: OrganisationPickerProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const { data } = useOrganisations({ ...(search.trim() === '' ? {} : { search: search.trim() }), per_page: 50 });
  const others = (data?.data ?? []).filter(
    (each) => !chosen.some(({ organisation_guid: guid }) => guid === each.organisation_guid),
  );
  const add = (guid: string) => {
    const found = others.find((each) => each.organisation_guid === guid);
    if (found !== undefined) onChange(isOne ? [found] : [...chosen, found]);
  };
  return (
    <fieldset>
      <legend>{t('admin.organisations.of')}</legend>
      {chosen.length > 0 && (
        <ul className="checks">
          {chosen.map((each) => (
            <li key={each.organisation_guid}>
              {each.name}
              {!isOne && (
                <button
                  type="button"
                  className="plain-button"
                  aria-label={t('admin.organisations.removeOf', { name: each.name })}
                  onClick={() => onChange(chosen.filter((other) => other !== each))}
                >
                  {t('admin.remove')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      <TextInput
        type="search"
        label={t('admin.organisations.search')}
        value={search}
        autoComplete="off"
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <NativeSelect
        mt="sm"
        label={t(
          isOne
            ? chosen.length === 0
              ? 'admin.organisations.pick'
              : 'admin.organisations.other'
            : 'admin.organisations.add',
        )}
        value=""
        onChange={({ currentTarget }) => add(currentTarget.value)}
        data={[
          { value: '', label: t('admin.choose') },
          ...others.map((each) => ({ value: each.organisation_guid, label: each.name })),
        ]}
      />
    </fieldset>
  );
}
