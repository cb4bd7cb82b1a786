// Whose tab it is. What one person has typed is not shown to the next one who signs in in the same browser.
import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dropAllKept, keepOwner, readOwner } from '../app/kept.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useMe } from '../shell/me.ts';

export function OwnerGuard() {
  const { t } = useTranslation();
  const { data: me } = useMe();
  const isFirst = useRef(true);
  const [isOther, setOther] = useState(false);
  const guid = me?.user_guid;
  useEffect(() => {
    if (guid === undefined) return;
    const owner = readOwner();
    const isNew = owner !== undefined && owner !== guid;
    if (owner === undefined) keepOwner(guid);
    // Of a page that was just loaded nothing can be lost any more.
    if (isNew && isFirst.current) beginAs(guid);
    else setOther(isNew);
    isFirst.current = false;
  }, [guid]);
  if (me === undefined || !isOther) return null;
  const name = me.email;
  return (
    <Dialog title={t('session.otherTitle')}>
      <p>{t('session.other', { name })}</p>
      <p className="actions">
        <Button onClick={() => beginAs(me.user_guid)}>{t('session.goOn', { name })}</Button>
      </p>
    </Dialog>
  );
}

function beginAs(guid: string): void {
  dropAllKept();
  keepOwner(guid);
  window.location.reload();
}
