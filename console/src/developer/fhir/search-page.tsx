// A search of one type. It is built from its parameters or typed. It shows the address that it makes, what it finds
// page by page, and how the database carries it out. The search is in the address of this screen.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Loaded } from '../../shell/loaded.tsx';
import { useMe } from '../../shell/me.ts';
import { Empty, Page } from '../../shell/page.tsx';
import { parametersOf, serves, useServed } from './capability.ts';
import { Explain } from './explain.tsx';
import { Results } from './results.tsx';
import { SearchBuilder } from './search-builder.tsx';
import { serviceOf } from './services.ts';
import './fhir.css';

export function SearchPage() {
  const { t } = useTranslation();
  const { service: named, type = '' } = useParams({ strict: false }) as { service?: string; type?: string };
  const { q } = useSearch({ strict: false }) as { q?: unknown };
  const service = serviceOf(named);
  const navigate = useNavigate();
  const { data: me } = useMe();
  const query = typeof q === 'string' ? q : undefined;
  const search = (text: string) => void navigate({ to: '.', search: { q: text } });
  return (
    <Page title={type}>
      <p>
        <Link to={service === 'engine' ? '/developer/fhir' : `/developer/fhir/${service}`}>
          {t('developer.search.allTypes', { service })}
        </Link>
      </p>
      <Loaded query={useServed(service)}>
        {(served) => {
          const description = served.types.find((each) => each.type === type);
          if (description === undefined) return <Empty>{t('developer.search.unknown', { type, service })}</Empty>;
          return (
            <>
              {serves(description, 'create') && (
                <p className="actions">
                  <Link className="plain-button" to={`/developer/new/${service}/${type}`}>
                    {t('developer.search.new', { type })}
                  </Link>
                </p>
              )}
              {serves(description, 'search-type') ? (
                <SearchBuilder
                  key={query}
                  service={service}
                  type={type}
                  query={query ?? ''}
                  parameters={parametersOf(served, type)}
                  onSearch={search}
                />
              ) : (
                <Empty>{t('developer.search.noSearch')}</Empty>
              )}
              {query !== undefined && (
                <>
                  <h2>{t('developer.search.results')}</h2>
                  <Results service={service} type={type} query={query} onPage={search} />
                  {service === 'engine' && me?.user_type === 'professional' && me.is_su_admin && (
                    <Explain type={type} query={query} />
                  )}
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
