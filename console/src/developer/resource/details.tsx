// The elements of a resource, and what refers to it.
import { Button, NativeSelect } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton, CopyText } from '../../shared/copy.tsx';
import { ScrollText } from '../../shared/scroll-text.tsx';
import { readTree } from '../code/json-tree.ts';
import { TreeView } from '../code/tree-view.tsx';
import { useServed } from '../fhir/capability.ts';
import { typePath } from '../fhir/services.ts';
import type { Place } from './resource-page.tsx';

interface DetailsProps {
  readonly place: Place;
  /** The resource as the server wrote it. */
  readonly text: string;
}

export function Details({ place, text }: DetailsProps) {
  const { t } = useTranslation();
  const tree = useMemo(() => readTree(text), [text]);
  return (
    <>
      <CopyText text={place.id} label={t('developer.resource.id')} />
      <ReferringTo place={place} />
      <div className="card">
        <TreeView service={place.service} node={tree} />
      </div>
      <details>
        <summary>{t('developer.resource.asJson')}</summary>
        <CopyButton text={text} label={t('developer.resource.asJson')} />
        <ScrollText text={text} />
      </details>
    </>
  );
}

/** Searches of other types that lead here: `Observation:subject` finds the Observations about it. */
function ReferringTo({ place: { service, type, id } }: { readonly place: Place }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const served = useServed(service);
  const ways = served.data?.types.find((each) => each.type === type)?.searchRevInclude ?? [];
  const sorted = [...new Set(ways)].filter((way) => /^\w+:[\w-]+$/.test(way)).sort();
  const [chosen, setChosen] = useState('');
  const way = sorted.includes(chosen) ? chosen : preferred(sorted);
  if (way === undefined) return null;
  const [from = '', parameter = ''] = way.split(':');
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ to: typePath(service, from), search: { q: `${parameter}=${type}/${id}` } });
      }}
    >
      <NativeSelect
        label={t('developer.resource.referring')}
        value={way}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        data={sorted.map((each) => ({ value: each, label: each.replace(':', ' · ') }))}
      />
      <Button type="submit" variant="default">
        {t('developer.resource.find')}
      </Button>
    </form>
  );
}

/** What is sought most of a patient. */
function preferred(ways: readonly string[]): string | undefined {
  return ways.find((way) => way === 'Observation:patient') ?? ways[0];
}
