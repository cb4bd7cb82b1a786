// Where the work of a developer begins: what can be called, a token to call it with, and the tools of this face.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '../i18n/i18n.ts';
import { pageOrigin } from '../place.ts';
import { CopyText } from '../shared/copy.tsx';
import { Page } from '../shell/page.tsx';
import { baseOf, SERVICES } from './fhir/services.ts';

const TOOLS = [
  ['fhir', '/developer/fhir'],
  ['terminology', '/developer/terminology'],
  ['batch', '/developer/batch'],
] as const;

export function DeveloperPage() {
  const { t } = useTranslation();
  const lang = currentLanguage();
  return (
    <Page title={t('developer.home.title')}>
      <ul className="cards">
        {TOOLS.map(([name, path]) => (
          <li key={name} className="card">
            <Link to={path}>
              <strong>{t(`developer.home.tool.${name}`)}</strong>
            </Link>
            <p className="quiet">{t(`developer.home.about.${name}`)}</p>
          </li>
        ))}
      </ul>
      <h2>{t('developer.home.services')}</h2>
      <ul className="cards">
        {SERVICES.map((service) => {
          const address = `${pageOrigin()}${baseOf(service)}`;
          return (
            <li key={service} className="card">
              <div className="row">
                <strong>{service}</strong>
                <a href={`/${service}/docs/`}>{t('developer.home.reference', { service })}</a>
              </div>
              <p className="quiet">{t(`developer.service.${service}`)}</p>
              <CopyText text={address} label={t('developer.home.base', { service })} />
            </li>
          );
        })}
      </ul>
      <h2>{t('developer.home.token')}</h2>
      <p>{t('developer.home.tokenText')}</p>
      <p className="actions">
        <a className="plain-button" href={`/sign-in?lang=${lang}`}>
          {t('developer.home.showToken')}
        </a>
      </p>
    </Page>
  );
}
