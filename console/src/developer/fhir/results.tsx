// What a search finds, a page at a time. The links of the response lead on; what the server did not take is said.
import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Bundle, BundleEntry, FhirResource } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { getText } from '../../api/raw.ts';
import { momentText, numberText } from '../../i18n/format.ts';
import { AsJson } from '../../shared/as-json.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Empty } from '../../shell/page.tsx';
import { labelOf } from './label.ts';
import { readQuery, writeQuery } from './query.ts';
import { baseOf, resourcePath, type ServiceName } from './services.ts';

/** Otherwise what is misspelt would be ignored, and everything be found. */
const STRICT = { prefer: 'handling=strict' };

interface ResultsProps {
  readonly service: ServiceName;
  readonly type: string;
  readonly query: string;
  readonly onPage: (query: string) => void;
}

export function Results({ service, type, query, onPage }: ResultsProps) {
  const { t } = useTranslation();
  const address = `${baseOf(service)}/${type}${query === '' ? '' : `?${query}`}`;
  const found = useQuery({
    queryKey: ['fhir-search', address],
    queryFn: async () => JSON.parse((await getText(address, STRICT)).text) as Bundle<FhirResource>,
    placeholderData: keepPreviousData,
  });
  const { data: bundle, error } = found;
  if (error !== null) return <Refusal error={error} onRetry={() => void found.refetch()} />;
  if (bundle === undefined) return <Loading />;
  const entries = bundle.entry ?? [];
  const first = writeQuery(readQuery(query).filter(({ name }) => name !== '_cursor'));
  const next = queryOf(bundle, 'next');
  return (
    <>
      <p className="quiet" role="status">
        {bundle.total === undefined
          ? t('developer.search.some', { count: entries.length })
          : t('developer.search.total', { count: bundle.total, number: numberText(bundle.total) })}
      </p>
      {entries.length === 0 ? (
        <Empty>{t('developer.search.none')}</Empty>
      ) : (
        <ul className="cards dense">
          {entries.map((entry, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a page is shown as it came
            <ResultRow key={at} service={service} entry={entry} />
          ))}
        </ul>
      )}
      <p className="actions">
        {query.includes('_cursor=') && (
          <Button variant="default" onClick={() => onPage(first)}>
            {t('developer.search.first')}
          </Button>
        )}
        {next !== undefined && (
          <Button variant="default" onClick={() => onPage(next)}>
            {t('developer.search.next')}
          </Button>
        )}
      </p>
      <AsJson label={t('developer.search.asJson')} value={bundle} />
    </>
  );
}

function queryOf(bundle: Bundle, relation: string): string | undefined {
  const url = bundle.link?.find((link) => link.relation === relation)?.url;
  return url === undefined ? undefined : writeQuery(readQuery(url.slice(url.indexOf('?') + 1)));
}

function ResultRow({ service, entry }: { readonly service: ServiceName; readonly entry: BundleEntry<FhirResource> }) {
  const { t } = useTranslation();
  const { resource, search } = entry;
  if (resource === undefined) return null;
  const { resourceType, id, meta } = resource;
  if (resourceType === 'OperationOutcome') {
    const texts = resource.issue.map(({ details, diagnostics }) => details?.text ?? diagnostics ?? '');
    return (
      <li className="card" lang="en">
        {texts.join(' ')}
      </li>
    );
  }
  return (
    <li className="card">
      <div className="row">
        {id === undefined ? (
          resourceType
        ) : (
          <Link to={resourcePath(service, resourceType, id)}>{`${resourceType}/${id}`}</Link>
        )}
        {search?.mode === 'include' && <span className="badge">{t('developer.search.included')}</span>}
        <span className="quiet small">{meta?.lastUpdated !== undefined && momentText(meta.lastUpdated)}</span>
      </div>
      <p>{labelOf(resource)}</p>
    </li>
  );
}
