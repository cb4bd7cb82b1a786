// One resource: its elements, its versions with their differences, and an editor. Each tab is an address.
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getText } from '../../api/raw.ts';
import { Refusal } from '../../shared/refusal.tsx';
import { TabLinks } from '../../shared/tab-links.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Page } from '../../shell/page.tsx';
import { baseOf, resourcePath, type ServiceName, serviceOf, typePath } from '../fhir/services.ts';
import { Details } from './details.tsx';
import { EditTab } from './edit-tab.tsx';
import { History } from './history.tsx';

const TABS = ['details', 'history', 'edit'] as const;

export interface Place {
  readonly service: ServiceName;
  readonly type: string;
  readonly id: string;
}

export function addressOf({ service, type, id }: Place): string {
  return `${baseOf(service)}/${type}/${encodeURIComponent(id)}`;
}

/** The text of the current version, and its ETag. */
export function useResource(place: Place) {
  return useQuery({
    queryKey: ['fhir-resource', place.service, place.type, place.id],
    queryFn: () => getText(`${addressOf(place)}?_pretty=true`),
  });
}

export function ResourcePage() {
  const { t } = useTranslation();
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>;
  const { type = '', id = '' } = params;
  const service = serviceOf(params['service']);
  const tab = TABS.find((each) => each === params['tab']) ?? 'details';
  const place = { service, type, id };
  const root = resourcePath(service, type, id);
  return (
    <Page title={`${type}/${id}`}>
      <p>
        <Link to={typePath(service, type)}>{t('developer.resource.toSearch', { type })}</Link>
      </p>
      <TabLinks
        label={t('developer.resource.tabs')}
        tabs={TABS}
        root={root}
        textOf={(each) => t(`developer.resource.tab.${each}`)}
      />
      {tab === 'history' ? <History place={place} /> : <Current place={place} tab={tab} />}
    </Page>
  );
}

function Current({ place, tab }: { readonly place: Place; readonly tab: 'details' | 'edit' }) {
  const resource = useResource(place);
  const { data, error } = resource;
  if (data === undefined)
    return error === null ? <Loading /> : <Refusal error={error} onRetry={() => void resource.refetch()} />;
  return tab === 'edit' ? <EditTab place={place} current={data} /> : <Details place={place} text={data.text} />;
}
