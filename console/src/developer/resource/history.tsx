// The versions of a resource, the newest first, and the difference between two of them. Which two is in the address.
import { NativeSelect } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Bundle } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { getJson } from '../../api/fhir.ts';
import { getText } from '../../api/raw.ts';
import { momentText } from '../../i18n/format.ts';
import { DiffView } from '../../shared/difference/diff-view.tsx';
import { Refusal } from '../../shared/refusal.tsx';
import { Loading } from '../../shell/loading.tsx';
import { resourcePath } from '../fhir/services.ts';
import { addressOf, type Place } from './resource-page.tsx';
import '../fhir/fhir.css';

const MOST = 100;

interface Version {
  readonly version: string;
  readonly moment: string;
  readonly isDeleted: boolean;
}

export function History({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const history = useQuery({
    queryKey: ['fhir-history', place.service, place.type, place.id],
    queryFn: async () => versionsOf((await getJson(`${addressOf(place)}/_history?_count=${MOST}`)) as Bundle),
  });
  const { data: versions, error } = history;
  if (error !== null) return <Refusal error={error} onRetry={() => void history.refetch()} />;
  if (versions === undefined) return <Loading />;
  return (
    <>
      <Comparison place={place} versions={versions.filter(({ isDeleted }) => !isDeleted)} />
      <h2>{t('developer.history.versions')}</h2>
      <ul className="cards dense">
        {versions.map(({ version, moment, isDeleted }, at) => {
          const before = versions.slice(at + 1).find((each) => !each.isDeleted);
          return (
            <li key={version} className="card row">
              <strong>{t('developer.history.version', { version })}</strong>
              <span className="quiet">{momentText(moment)}</span>
              {isDeleted && <span className="badge">{t('developer.history.deleted')}</span>}
              {!isDeleted && before !== undefined && (
                <Link
                  to={`${resourcePath(place.service, place.type, place.id)}/history`}
                  search={{ from: inAddress(before.version), to: inAddress(version) }}
                >
                  {t('developer.history.compare', { version: before.version })}
                </Link>
              )}
            </li>
          );
        })}
      </ul>
      {versions.length === MOST && <p className="quiet">{t('developer.history.most', { count: MOST })}</p>}
    </>
  );
}

/** Of a deletion only the entry says which version it is. */
function versionsOf(bundle: Bundle): readonly Version[] {
  return (bundle.entry ?? []).map(({ resource, request, response }) => ({
    version: resource?.meta?.versionId ?? /"(.+)"/.exec(response?.etag ?? '')?.[1] ?? '',
    moment: resource?.meta?.lastUpdated ?? response?.lastModified ?? '',
    isDeleted: request?.method === 'DELETE',
  }));
}

interface ComparisonProps {
  readonly place: Place;
  readonly versions: readonly Version[];
}

function Comparison({ place, versions }: ComparisonProps) {
  const { t } = useTranslation();
  const search = useSearch({ strict: false }) as { from?: unknown; to?: unknown };
  const navigate = useNavigate();
  const named = (value: unknown) => versions.find(({ version }) => version === String(value))?.version;
  const to = named(search.to) ?? versions[0]?.version;
  const from = named(search.from) ?? versions[1]?.version;
  const texts = useQueries({
    queries: [from, to].map((version) => ({
      queryKey: ['fhir-version', place.service, place.type, place.id, version],
      queryFn: async () => (await getText(`${addressOf(place)}/_history/${version}?_pretty=true`)).text,
      enabled: version !== undefined && from !== undefined,
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  if (from === undefined || to === undefined) return <p className="quiet">{t('developer.history.single')}</p>;
  const [before, after] = texts;
  const error = before?.error ?? after?.error ?? null;
  const options = versions.map(({ version, moment }) => ({
    value: version,
    label: `${version} (${momentText(moment)})`,
  }));
  const select = (change: { from?: string; to?: string }) => {
    const chosen = { from, to, ...change };
    const search = { from: inAddress(chosen.from), to: inAddress(chosen.to) };
    void navigate({ to: '.', search, replace: true });
  };
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={t('developer.history.from')}
          value={from}
          data={options}
          onChange={({ currentTarget }) => select({ from: currentTarget.value })}
        />
        <NativeSelect
          label={t('developer.history.to')}
          value={to}
          data={options}
          onChange={({ currentTarget }) => select({ to: currentTarget.value })}
        />
      </div>
      {error !== null && <Refusal error={error} />}
      {before?.data !== undefined && after?.data !== undefined && (
        <DiffView before={before.data} after={after.data} label={t('developer.history.difference')} />
      )}
    </>
  );
}

/** The router writes texts that look like numbers in quotes, and numbers as they are. */
function inAddress(version: string): string | number {
  return /^\d{1,9}$/.test(version) ? Number(version) : version;
}
