// Who asks, and how to reach them.
import { useTranslation } from 'react-i18next';
import type { Task } from '../queries.ts';

type Requester = NonNullable<Task['requester']>;

const SCHEMES: Readonly<Record<string, string>> = { phone: 'tel:', sms: 'tel:', email: 'mailto:' };

export function RequesterCard({ requester }: { readonly requester: Requester }) {
  const { t } = useTranslation();
  const { person, unit, contacts } = requester;
  return (
    <section className="card" aria-labelledby="requester">
      <h2 id="requester">{t('caregiver.task.requester')}</h2>
      <p>{[person, unit].filter((part) => part !== null).join(', ') || t('caregiver.task.unknownRequester')}</p>
      {contacts.length === 0 ? (
        <p className="quiet">{t('caregiver.task.noContacts')}</p>
      ) : (
        <ul>
          {contacts.map(({ system = '', value }) => (
            <li key={system + value}>
              {SCHEMES[system] === undefined ? value : <a href={SCHEMES[system] + value.trim()}>{value}</a>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
