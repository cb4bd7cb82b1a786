// The settings of each service: value, where it came from, what it means. They are changed where the service is run.
import { NativeSelect } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { FilterSelect } from '../../shared/filter-select.tsx';
import { oneOf, useAddress } from '../../shared/use-address.ts';
import { useFragment } from '../../shared/use-fragment.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { SearchField } from '../search-field.tsx';
import { SETTING_SERVICES, SOURCES, useSettings, type WordedSetting } from './queries.ts';
import { bySection } from './settings.ts';

export function SettingsPage() {
  const { t } = useTranslation();
  const [chosen, change] = useAddress();
  const service = oneOf(SETTING_SERVICES, chosen['service']) ?? 'identity';
  const source = oneOf(SOURCES, chosen['source']);
  const part = useLocation({ select: ({ hash }) => hash });
  return (
    <Page title={t('system.settings.title')}>
      <p className="quiet">{t('system.settings.lead')}</p>
      <search className="filters">
        <NativeSelect
          label={t('system.settings.service')}
          value={service}
          onChange={({ currentTarget }) => change({ service: currentTarget.value })}
          data={[...SETTING_SERVICES]}
        />
        <FilterSelect
          label={t('system.settings.source')}
          values={SOURCES}
          all={t('system.settings.all')}
          textOf={(each) => t(`system.source.${each}`)}
          chosen={source}
          onChoose={(source) => change({ source })}
        />
        <SearchField label={t('system.settings.search')} />
      </search>
      <Loaded query={useSettings(service)}>
        {({ reference, settings }) => (
          <>
            <Sections key={service} part={part} sections={bySection(settings, { search: chosen['q'] ?? '', source })} />
            <p className="quiet">
              {t('system.settings.reference')} <code>{reference}</code>
            </p>
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface SectionsProps {
  /** The name of a setting; empty for none. */
  readonly part: string;
  readonly sections: ReturnType<typeof bySection<WordedSetting>>;
}

/** Goes to the setting that the address names. */
function Sections({ part, sections }: SectionsProps) {
  const { t } = useTranslation();
  useFragment(true, part);
  return (
    <>
      {sections.length === 0 && <Empty>{t('system.settings.none')}</Empty>}
      {sections.map(([section, those]) => (
        <section key={section}>
          <h2>{section}</h2>
          <ul className="cards">
            {those.map((setting) => (
              <SettingCard key={setting.name} setting={setting} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function SettingCard({ setting }: { readonly setting: WordedSetting }) {
  const { t } = useTranslation();
  const { name, meaning, source, value, is_secret: isSecret, is_set: isSet, when_unset: whenUnset } = setting;
  return (
    <li className="card" id={name} tabIndex={-1}>
      <div className="row">
        <h3>
          <code>{name}</code>
        </h3>
        <span className={source === 'default' || source === 'unset' ? 'badge' : 'badge strong'}>
          {t(`system.source.${source}`)}
        </span>
      </div>
      <p>
        {isSecret ? (
          t(isSet ? 'system.settings.secretSet' : 'system.settings.secretUnset')
        ) : value === null ? (
          <span lang={setting.unsetLanguage}>{whenUnset ?? '–'}</span>
        ) : (
          <code>{value}</code>
        )}
        {setting.default !== null && setting.default !== value && (
          <span className="quiet">
            {' '}
            {t('system.settings.usual')} <code>{setting.default}</code>
          </span>
        )}
      </p>
      <p className="quiet" lang={setting.language}>
        {meaning}
      </p>
    </li>
  );
}
