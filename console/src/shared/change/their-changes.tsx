// What somebody else has changed since it was opened: when, and each part before and after. What is typed stays.
import { useTranslation } from 'react-i18next';
import { momentText } from '../../i18n/format.ts';
import { type Part, type PartChange, theirChanges } from './parts.ts';

interface TheirChangesProps<Item extends object> {
  readonly parts: readonly Part<Item>[];
  /** The record that the form was opened with. */
  readonly opened: Item;
  /** The one that is stored. */
  readonly now: Item & { readonly updated_at?: string };
  /** What is in the form. */
  readonly changes: Partial<Item>;
}

export function TheirChanges<Item extends object>({ parts, opened, now, changes }: TheirChangesProps<Item>) {
  const { t } = useTranslation();
  const { updated_at: at } = now;
  return (
    <>
      <div role="alert">
        <h2>{t('theirChanges.title')}</h2>
        <p>{t('theirChanges.text')}</p>
      </div>
      {at !== undefined && <p className="quiet">{t('theirChanges.at', { moment: momentText(at) })}</p>}
      <dl className="facts">
        {theirChanges(parts, { opened, now, changes }).map((each) => (
          <Changed key={each.label} {...each} />
        ))}
      </dl>
    </>
  );
}

function Changed({ label, before, now, isMineToo }: PartChange) {
  const { t } = useTranslation();
  const shown = (words: string) => (words === '' ? t('theirChanges.nothing') : words);
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {t('theirChanges.wasNow', { before: shown(before), now: shown(now) })}
        {isMineToo && <p className="quiet">{t('theirChanges.mineToo')}</p>}
      </dd>
    </>
  );
}
