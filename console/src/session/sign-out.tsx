// Signs out. What is typed and not sent is lost with that, as the next person at the computer must not see it; so it
// asks first.
import { Button } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { dropAllKept, isAnythingKept } from '../app/kept.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { Dialog } from '../shell/dialog.tsx';

export function SignOut() {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [isAsking, setAsking] = useState(false);
  const submit = (event: FormEvent) => {
    if (isAnythingKept()) {
      event.preventDefault();
      setAsking(true);
    } else dropAllKept();
  };
  const leave = () => {
    dropAllKept();
    form.current?.submit();
  };
  return (
    <>
      <form ref={form} method="post" action="/auth/logout" onSubmit={submit}>
        <input type="hidden" name="lang" value={currentLanguage()} />
        <button type="submit" className="plain-button">
          {t('shell.signOut')}
        </button>
      </form>
      {/* Not inside a menu that may be hidden. */}
      {isAsking &&
        createPortal(
          <Dialog title={t('session.leaveTitle')} onClose={() => setAsking(false)}>
            <p>{t('session.leave')}</p>
            <p className="actions">
              <Button onClick={() => setAsking(false)}>{t('session.stayHere')}</Button>
              <Button variant="default" onClick={leave}>
                {t('session.leaveNow')}
              </Button>
            </p>
          </Dialog>,
          document.body,
        )}
    </>
  );
}
