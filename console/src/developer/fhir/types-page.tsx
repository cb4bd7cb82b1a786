// All types of a service, with how many resources each has. What is typed is found in the names.
import { TextInput } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { numberText } from '../../i18n/format.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { type ServedType, useCounts, useServed } from './capability.ts';
import { SERVICES, type ServiceName, serviceOf, typePath } from './services.ts';
import './fhir.css';
import { TabLinks } from '../../shared/tab-links.tsx';

export function TypesPage() {
  const { t } = useTranslation();
  const { service: named } = useParams({ strict: false }) as { service?: string };
  const service = serviceOf(named);
  return (
    <Page title={t('developer.types.title')}>
      <TabLinks label={t('developer.types.services')} tabs={SERVICES} root="/developer/fhir" textOf={(each) => each} />
      <p className="quiet">{t(`developer.service.${service}`)}</p>
      <Loaded query={useServed(service)}>{({ types }) => <Types service={service} types={types} />}</Loaded>
    </Page>
  );
}

interface TypesProps {
  readonly service: ServiceName;
  readonly types: readonly ServedType[];
}

function Types({ service, types }: TypesProps) {
  const { t } = useTranslation();
  const { q = '' } = useSearch({ strict: false }) as { q?: unknown };
  const sought = String(q).trim().toLowerCase();
  const navigate = useNavigate();
  const counts = useCounts(service, types);
  const found = types.filter(({ type }) => type.toLowerCase().includes(sought));
  const filled = found.filter(({ type }) => (counts.get(type) ?? 0) > 0);
  const others = found.filter(({ type }) => !filled.some((each) => each.type === type));
  return (
    <>
      <TextInput
        type="search"
        label={t('developer.types.filter')}
        value={String(q)}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) =>
          void navigate({ to: '.', search: value === '' ? {} : { q: value }, replace: true })
        }
      />
      {found.length === 0 && <Empty>{t('developer.types.none')}</Empty>}
      {filled.length > 0 && (
        <>
          <h2>{t('developer.types.filled')}</h2>
          <ul className="tiles wide">
            {filled.map(({ type }) => (
              <li key={type}>
                <Link className="tile" to={typePath(service, type)}>
                  <span className="tile-number">{numberText(counts.get(type) ?? 0)}</span> {type}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && (
        <>
          <h2>{t(filled.length > 0 ? 'developer.types.others' : 'developer.types.all')}</h2>
          <ul className="type-list">
            {others.map(({ type }) => (
              <li key={type}>
                <Link to={typePath(service, type)}>{type}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
