// Shows who has asked one to be a proxy, on the first screen, until it is answered.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { NamedProxy } from './use-proxies.ts';

export function Invitations({ received }: { readonly received: readonly NamedProxy[] }) {
  const { t } = useTranslation();
  const open = received.filter(({ status }) => status === 'invited');
  if (open.length === 0) return null;
  return (
    <aside className="note" aria-label={t('proxies.title')}>
      {open.map(({ proxy_guid: guid, patient_name: name }) => (
        <p key={guid}>{t('proxies.asked', { name: name ?? '' })}</p>
      ))}
      <p>
        <Link to="/my/proxies">{t('proxies.answer')}</Link>
      </p>
    </aside>
  );
}
