// The bar above every screen: the name, the button of a phone's menu, and the settings.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PaletteButton } from '../palette/palette-button.tsx';
import { Settings } from './settings.tsx';

/** The id of the button of a phone's menu. */
export const MENU_BUTTON = 'menu-button';

interface HeaderBarProps {
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
}

export function HeaderBar({ isMenuOpen, onMenu }: HeaderBarProps) {
  const { t } = useTranslation();
  return (
    <header className="bar">
      <Link to="/" className="brand">
        <svg viewBox="0 0 32 32" fill="none" stroke="currentColor" strokeWidth="3" aria-hidden="true">
          <rect x="2" y="10" width="17" height="12" rx="6" />
          <rect x="13" y="10" width="17" height="12" rx="6" />
        </svg>
        Kedja
      </Link>
      <div className="bar-buttons">
        <button
          type="button"
          id={MENU_BUTTON}
          className="plain-button menu-button"
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={onMenu}
        >
          {t('shell.menu')}
        </button>
        <PaletteButton />
        <Settings />
      </div>
    </header>
  );
}
