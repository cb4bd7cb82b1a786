// What happened, in words: the events of identity's log and what they say of a failure. Others are shown as they are.
import { useTranslation } from 'react-i18next';
import type { AuditEvent } from './events.ts';
import type words from './texts/sv.json';

type Words = (typeof words)['auditLog'];

export function useEventWords() {
  const { t, i18n } = useTranslation();
  const isEvent = (key: string): key is keyof Words['event'] => i18n.exists(`auditLog.event.${key}`);
  const isDetail = (key: string): key is keyof Words['detail'] => i18n.exists(`auditLog.detail.${key}`);
  return {
    /** Undefined for an event that has no words. */
    event: ({ event }: Pick<AuditEvent, 'event'>): string | undefined => {
      const key = keyOf(event);
      return isEvent(key) ? t(`auditLog.event.${key}`) : undefined;
    },
    detail: (detail: string): string => {
      const key = keyOf(detail);
      return isDetail(key) ? t(`auditLog.detail.${key}`) : detail;
    },
  };
}

/** The key of a name such as `user.sign-in`. */
function keyOf(name: string): string {
  return name.replaceAll(/[^a-z]+/g, '_');
}
