// A field for a canonical address, which suggests those that the engine has under the words that are typed.
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { getJson } from '../../api/fhir.ts';
import { searchValue } from '../../api/search-value.ts';
import { baseOf } from '../fhir/services.ts';

const MOST = 20;
const FEWEST_LETTERS = 2;

interface KnownProps {
  readonly type: 'CodeSystem' | 'ValueSet' | 'ConceptMap';
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

interface Found {
  readonly entry?: readonly {
    readonly resource?: { readonly url?: string; readonly title?: string; readonly name?: string };
  }[];
}

export function Known({ type, label, description, value, onChange }: KnownProps) {
  const id = useId();
  const isAddress = value.includes('/');
  const words = value.trim();
  const found = useQuery({
    queryKey: ['known', type, isAddress ? 'address' : words],
    queryFn: async () => {
      const by = isAddress ? { 'url:contains': words } : { 'title:contains': searchValue(words) };
      const query = new URLSearchParams({ ...by, _elements: 'url,title,name', _count: String(MOST), _total: 'none' });
      return (await getJson(`${baseOf('engine')}/${type}?${query}`)) as Found;
    },
    enabled: words.length >= FEWEST_LETTERS && !isAddress,
    placeholderData: keepPreviousData,
    retry: false,
  });
  return (
    <>
      <TextInput
        label={label}
        description={description}
        value={value}
        list={id}
        spellCheck={false}
        autoComplete="off"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={id}>
        {found.data?.entry?.map(({ resource }) =>
          resource?.url === undefined ? null : (
            <option key={resource.url} value={resource.url}>
              {resource.title ?? resource.name}
            </option>
          ),
        )}
      </datalist>
    </>
  );
}
