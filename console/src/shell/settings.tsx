// Language, colour scheme, and signing out: in the bar of a wide screen, and in a phone's menu.
import { useMantineColorScheme } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { chooseLanguage, currentLanguage } from '../i18n/i18n.ts';
import { SignOut } from '../session/sign-out.tsx';

const NEXT_SCHEME = { auto: 'light', light: 'dark', dark: 'auto' } as const;

export function Settings() {
  const { t } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const other = currentLanguage() === 'sv' ? 'en' : 'sv';
  return (
    <div className="settings">
      <button type="button" className="plain-button" lang={other} onClick={() => void chooseLanguage(other)}>
        {t('shell.otherLanguage')}
      </button>
      <button type="button" className="plain-button" onClick={() => setColorScheme(NEXT_SCHEME[colorScheme])}>
        {t(`shell.scheme.${colorScheme}`)}
      </button>
      <SignOut />
    </div>
  );
}
